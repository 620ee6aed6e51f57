// Search as you type: hits marked and grouped by session, and matches over time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { address, type Options, useAnswer } from "../../api";
import { day, grouped } from "../../format";
import { Chip, type Choice, Menu, Segment } from "../../parts/chips";
import { Command } from "../../parts/copy";
import { Failed, Loading, State } from "../../parts/state";
import { usePhone } from "../../parts/width";
import { useKeys } from "../../shell/keys";
import { change, go, href, type Route } from "../../shell/route";
import type { Day, SearchAnswer } from "../../types";
import { Histogram } from "./histogram";
import { HitsOfSession, inSessions } from "./hits";

/** Each hit costs the reading of its message: few while typing, more when asked for. */
const FEW = 30;
const MORE = 200;
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

/** Keep the bars of the whole time while a part of it is chosen. */
function useCounts(options: Options, isNarrowed: boolean, found: SearchAnswer | null): Day[] {
  const wide = useAnswer<SearchAnswer>(isNarrowed ? address("search", { ...options, since: null, until: null, all_hits: false, limit: 1, counts: "day" }) : null);
  return (isNarrowed ? wide.data?.counts : found?.counts) ?? [];
}

export function Search({ route }: { route: Route }) {
  const { params } = route;
  const query = params.get("query") ?? "";
  const isPhone = usePhone();
  const asked = useRef(0);
  const [took, setTook] = useState<number | null>(null);
  const [wide, setWide] = useState<string | null>(null);
  const given = Object.fromEntries(["since", "until", "role", "kind", "tool", "session", "project", "sort"].map((name) => [name, params.get(name)]));
  const options: Options = { query, typing: true, ...given };
  const asking = JSON.stringify(options);
  const limit = wide === asking ? MORE : FEW;
  const url = query.trim() ? address("search", { ...options, all_hits: true, limit, counts: "day" }) : null;
  const { data, error, isLoading } = useAnswer<SearchAnswer>(url);
  const counts = useCounts(options, params.has("since") || params.has("until"), data);
  useEffect(() => void (asked.current = performance.now()), [url]);
  useEffect(() => void (data && setTook(performance.now() - asked.current)), [data]);
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
  const isCut = data !== null && data.hits.length < (total ?? 0);
  const shown = isCut ? `, the ${params.get("sort") ? "newest" : "best"} ${data.hits.length} shown` : "";
  const amount = data && `${total === null ? "some" : grouped(total)} ${total === 1 ? "match" : "matches"}${shown}, in ${groups.length === 1 ? "1 session" : `${grouped(groups.length)} sessions`}`;
  return (
    <div class="view">
      <div class="narrow">
        <h1 class="vh">Search</h1>
        <div class="chips first" role="group" aria-label="Narrow the search">
          <Chips params={params} />
          <span class="end hidep q">{took !== null && data ? `${Math.round(took)} ms ` : ""}{url && <a class="link" href={url}>JSON</a>}</span>
        </div>
        {counts.length > 0 && <Histogram counts={counts} span={{ ...(params.get("since") ? { since: params.get("since") as string } : {}), ...(params.get("until") ? { until: params.get("until") as string } : {}) }} isSmall={isPhone} onSpan={(span) => change({ since: span?.since, until: span?.until })} />}
        <p class="q amount" role="status">{amount}{data && !data.is_current ? ". The search index is being updated; newer messages may be missing." : ""}</p>
        {error && !isLoading && <Failed error={error} />}
        {!query.trim() && <State title="Search everything" steps={<Command text="backscroll help search" />}><p>Words, “whole phrases”, word* and -word; fields such as project:, role:, tool:, file:, since: narrow.</p></State>}
        {isLoading && !data && query && <Loading />}
        {data && data.hits.length === 0 && !isLoading && query.trim() && <NothingFound query={query} suggestions={data.suggestions} params={params} />}
        {query.trim() && groups.map((group, n) => <HitsOfSession key={`${group.session ?? n}`} group={group} query={query} isAlone={params.has("session")} />)}
        {isCut && limit === FEW && <button class="btn" type="button" onClick={() => setWide(asking)}>Show more matches</button>}
        <footer class="foot hidep"><span><kbd>↑</kbd> <kbd>↓</kbd> move</span><span><kbd>↵</kbd> open at the message</span><span><kbd>esc</kbd> back to the list</span></footer>
      </div>
    </div>
  );
}
