// Search as you type: hits marked and grouped by session, and matches over time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address, type Answer, type Options, useAnswer } from "../../api";
import { day, grouped } from "../../format";
import { Chip, type Choice, Menu, Segment } from "../../parts/chips";
import { Command } from "../../parts/copy";
import { Failed, Loading, State } from "../../parts/state";
import { usePhone } from "../../parts/width";
import { useKeys } from "../../shell/keys";
import { change, go, href, type Route } from "../../shell/route";
import type { Day, SearchAnswer } from "../../types";
import { Histogram } from "./histogram";
import { HitsOfSession, inSessions, matchesOf } from "./hits";

/** Each hit costs the reading of its message: as many as a screen shows while typing, more as one scrolls. */
const STEPS = [30, 100, 250, 500];
const PER_SESSION = 4;
const NEAR = 800;
/** Milliseconds without a new letter until the matches are counted by day, which costs as much as the search. */
const PAUSE = 250;
const ROLES: Choice[] = [["user", "You"], ["assistant", "Claude"], ["tool", "Results"], ["system", "System"]].map(([value = "", label = ""]) => ({ value, label }));
const KINDS: Choice[] = ["text", "thinking", "call", "result", "summary", "title", "plan", "todo", "memory"].map((value) => ({ value, label: value }));
const TOOLS: Choice[] = ["Bash", "Edit", "Write", "Read", "Grep", "Glob", "WebFetch", "WebSearch", "Task", "Agent", "TodoWrite"].map((value) => ({ value, label: value }));

/** Move the focus through the hits, starting at the first. */
function moveInHits(step: number): void {
  const all = [...document.querySelectorAll<HTMLElement>("a.hit")];
  const now = all.indexOf(document.activeElement as HTMLElement);
  all[Math.max(0, Math.min(all.length - 1, now + step))]?.focus();
}

function spanText(since: string | null, until: string | null): string {
  const show = (text: string): string => day(new Date(`${text}T12:00:00`));
  if (since && until) return since === until ? show(since) : `${show(since)} – ${show(until)}`;
  return since ? `since ${show(since)}` : `until ${show(until ?? "")}`;
}

function Chips({ params }: { params: URLSearchParams }) {
  const menu = (name: string, label: string, choices: Choice[]) => <Menu label={label} choices={choices} value={params.get(name)} onChange={(value) => change({ [name]: value })} />;
  const [since, until] = [params.get("since"), params.get("until")];
  return (
    <>
      {(since || until) && <Chip label={spanText(since, until)} isOn onChange={() => change({ since: null, until: null })} />}
      {params.get("session") && <Chip label="one session" isOn onChange={() => change({ session: null })} />}
      {params.get("project") && <Chip label={`project ${params.get("project")}`} isOn onChange={() => change({ project: null })} />}
      {menu("role", "Said by", ROLES)}
      {menu("kind", "Kind", KINDS)}
      {menu("tool", "Tool", TOOLS)}
      <span class="sep" />
      <Segment label="Order" value={params.get("sort") ?? ""} choices={[{ value: "", label: "Best" }, { value: "time", label: "Newest" }]} onChange={(value) => change({ sort: value })} />
    </>
  );
}

function NothingFound({ query, suggestions, params }: { query: string; suggestions: string[]; params: URLSearchParams }) {
  const isNarrow = ["since", "until", "role", "kind", "tool", "session", "project"].some((name) => params.has(name));
  return (
    <State
      title={`No match for “${query}”`}
      steps={<>{isNarrow && <a class="btn main" href={href("/search", { query })}>Without filters</a>}<a class="btn" href="/">All sessions</a></>}
    >
      <p>All sessions were searched, with their branches, agents and results.</p>
      {suggestions.length > 0 && <p>Close to it: {suggestions.map((one) => <a key={one} class="link" href={href("/search", { query: one })}>{one} </a>)}</p>}
    </State>
  );
}

/** Return the last value that stayed for a while; null at first. */
function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

const counting = (url: string): string => `${url}&counts=day`;

/** Ask for hits at each letter, and again with the counts of days when the typing pauses. */
function useHits(url: string | null): { letter: Answer<SearchAnswer>; counted: Answer<SearchAnswer>; isSettled: boolean } {
  const isSettled = useSettled(url) === url;
  const letter = useAnswer<SearchAnswer>(url);
  const counted = useAnswer<SearchAnswer>(url !== null && isSettled ? counting(url) : null);
  return { letter, counted, isSettled };
}

/** Keep the bars until the next ones are here, and those of the whole time while a part of it is chosen. */
function useCounts(options: Options, isNarrowed: boolean, isSettled: boolean, found: SearchAnswer | null): Day[] | null {
  const kept = useRef<Day[] | null>(null);
  const wide = useAnswer<SearchAnswer>(isNarrowed && isSettled ? counting(address("search", { ...options, since: null, until: null, limit: 1 })) : null);
  kept.current = (isNarrowed ? wide.data : found)?.counts ?? kept.current;
  return kept.current;
}

/** Return how many hits to ask for: more whenever the end comes near; another question begins with few. */
function useLimit(asking: string, hasMore: boolean): [number, () => void] {
  const [wide, setWide] = useState({ asking, step: 0 });
  const step = wide.asking === asking ? wide.step : 0;
  const more = (): void => {
    if (hasMore && step < STEPS.length - 1) setWide({ asking, step: step + 1 });
  };
  useEffect(() => {
    const onScroll = (): void => {
      if (document.documentElement.scrollHeight - innerHeight - scrollY < NEAR) more();
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  });
  return [STEPS[step] ?? 500, more];
}

export function Search({ route }: { route: Route }) {
  const { params } = route;
  const query = params.get("query") ?? "";
  const isPhone = usePhone();
  const asked = useRef(0);
  const [took, setTook] = useState<number | null>(null);
  const given = Object.fromEntries(["since", "until", "role", "kind", "tool", "session", "project", "sort"].map((name) => [name, params.get(name)]));
  const options: Options = { query, typing: true, ...given };
  const isAlone = params.has("session");
  const hasMore = useRef(false);
  const [limit, more] = useLimit(JSON.stringify(options), hasMore.current);
  const each: Options = isAlone ? { all_hits: true } : { per_session: PER_SESSION };
  const url = query.trim() ? address("search", { ...options, ...each, limit }) : null;
  const { letter, counted, isSettled } = useHits(url);
  const { error, isLoading } = letter;
  const data = counted.data ?? letter.data;
  const counts = useCounts(options, params.has("since") || params.has("until"), isSettled, counted.data);
  useEffect(() => void (asked.current = performance.now()), [url]);
  useEffect(() => void (letter.data && setTook(performance.now() - asked.current)), [letter.data]);
  useEffect(() => void (document.title = query ? `${query} · backscroll` : "backscroll"), [query]);
  const groups = useMemo(() => inSessions(data?.hits ?? []), [data]);
  useKeys({
    j: () => moveInHits(1),
    k: () => moveInHits(-1),
    ArrowDown: () => moveInHits(1),
    ArrowUp: () => moveInHits(-1),
    Escape: () => go("/"),
  });
  const total = data?.total ?? null;
  const isCut = data !== null && groups.reduce((sum, group) => sum + matchesOf(group), 0) < (total ?? 0);
  hasMore.current = isCut && !isLoading;
  const sessions = groups.length === 1 ? "1 session" : `${grouped(groups.length)} sessions`;
  const shown = isAlone ? `the ${params.get("sort") ? "newest" : "best"} ${grouped(data?.hits.length ?? 0)} shown` : `the ${params.get("sort") ? "newest" : "best"} ${sessions} shown`;
  const amount = data && data.total !== 0 && `${total === null ? "some" : grouped(total)} ${total === 1 ? "match" : "matches"}, ${isCut ? shown : `in ${sessions}`}`;
  return (
    <div class="view">
      <div class="narrow">
        <h1 class="vh">Search</h1>
        <div class="chips first" role="group" aria-label="Narrow the search">
          <Chips params={params} />
          <span class="end hidep q">{took !== null && data ? `${Math.round(took)} ms ` : ""}{url && <a class="link" href={counting(url)}>JSON</a>}</span>
        </div>
        {query.trim() && data !== null && data.hits.length > 0 && counts?.length !== 0 && <Histogram counts={counts ?? []} span={{ ...(params.get("since") ? { since: params.get("since") as string } : {}), ...(params.get("until") ? { until: params.get("until") as string } : {}) }} isSmall={isPhone} onSpan={(span) => change({ since: span?.since, until: span?.until })} />}
        <p class="q amount" role="status">{amount}{data && !data.is_current ? ". The search index is being updated; newer messages may be missing." : ""}</p>
        {error && !isLoading && <Failed error={error} />}
        {!query.trim() && <State title="Search everything" steps={<Command text="backscroll help search" />}><p>Words, “whole phrases”, word* and -word; fields such as project:, role:, tool:, file:, since: narrow.</p></State>}
        {isLoading && !data && query && <Loading />}
        {data && data.hits.length === 0 && !isLoading && query.trim() && <NothingFound query={query} suggestions={data.suggestions} params={params} />}
        {query.trim() && groups.map((group, n) => <HitsOfSession key={`${group.session ?? n}`} group={group} query={query} isAlone={isAlone} />)}
        {isCut && limit < 500 && <button class="btn" type="button" onClick={more}>Show more matches</button>}
        <footer class="foot hidep"><span><kbd>↑</kbd> <kbd>↓</kbd> move</span><span><kbd>↵</kbd> open at the message</span><span><kbd>esc</kbd> back to the list</span></footer>
      </div>
    </div>
  );
}
