// Hits in groups by session, in the order of the best hit of each.
import { clock, day, dayKey, grouped, moment, nearDay } from "../../format";
import { Marked } from "../../parts/marked";
import { href, sessionHref } from "../../shell/route";
import type { Hit } from "../../types";
import { projectName } from "../sessions/filter";

const KINDS: Record<string, string> = { thinking: "Thinking", result: "Result", summary: "Summary", title: "Title", tag: "Tag", plan: "Plan", todo: "Todo", memory: "Memory", schedule: "Schedule", row: "Desktop", other: "Record" };

export interface HitGroup {
  session: string | null;
  hits: Hit[];
}

export function inSessions(hits: Hit[]): HitGroup[] {
  const found = new Map<string, HitGroup>();
  for (const hit of hits) {
    const key = hit.session ?? `${hit.kind} ${hit.place?.path ?? ""}`;
    const group = found.get(key);
    if (group) group.hits.push(hit);
    else found.set(key, { session: hit.session, hits: [hit] });
  }
  return [...found.values()];
}

/** Return the number of matches in the session of a group, those that are not listed too. */
export const matchesOf = (group: HitGroup): number => group.hits.length + (group.hits[0]?.others ?? 0);

/** Return the text of a hit; that of a call without the name of the tool, which stands beside it. */
function textOf(hit: Hit, who: string): { text: string; marks: number[][] } {
  const length = hit.kind === "call" && hit.snippet.startsWith(`${who} `) ? who.length + 1 : 0;
  if (!length || hit.marks.some(([start = 0]) => start < length)) return { text: hit.snippet, marks: hit.marks };
  return { text: hit.snippet.slice(length), marks: hit.marks.map((mark) => mark.map((at) => at - length)) };
}

function speaker(hit: Hit): string {
  if (hit.kind === "call") return /^\w+/.exec(hit.snippet)?.[0] ?? "Call";
  const kind = KINDS[hit.kind];
  if (kind) return kind;
  return hit.agent ? "Agent" : hit.role === "user" ? "You" : hit.role === "assistant" ? "Claude" : "System";
}

function when(time: string | null): string {
  const date = moment(time);
  if (!date) return "";
  const near = nearDay(date);
  return near === "Today" || near === "Yesterday" ? near.toLowerCase() : day(date);
}

function HitRow({ hit, groupDay }: { hit: Hit; groupDay: string }) {
  const date = moment(hit.time);
  const to = hit.session ? sessionHref(hit.session, { at: hit.message }) : null;
  const who = speaker(hit);
  const isCode = hit.kind === "call" || hit.kind === "result";
  const body = (
    <>
      <span class="who cut">{who}</span>
      <span class={isCode ? "t cut mono" : "t cut"}><Marked {...textOf(hit, who)} /></span>
      <span class="num q">{date ? (dayKey(date) === groupDay ? clock(date) : day(date)) : ""}</span>
    </>
  );
  return to ? <a class="hit" href={to} data-session={hit.session} data-hit={hit.message}>{body}</a> : <div class="hit">{body}</div>;
}

interface OfGroup {
  group: HitGroup;
  query: string;
  isAlone: boolean;
}

export function HitsOfSession({ group, query, isAlone }: OfGroup) {
  const [first] = group.hits;
  if (!first) return null;
  const date = moment(first.time);
  const groupDay = date ? dayKey(date) : "";
  const matches = matchesOf(group);
  const title = first.title ?? (group.session ? "(no prompt yet)" : (first.place?.path ?? ""));
  return (
    <section class="grp">
      <div class="top">
        <h2 class="cut">{group.session ? <a href={sessionHref(group.session, { find: query })}>{title}</a> : title}</h2>
        <span class="q">{first.project ? projectName(first.project) : ""}</span>
        <span class="q">{when(first.time)}</span>
        {group.session && matches > 1 && <a class="link end" href={isAlone ? sessionHref(group.session, { find: query }) : href("/search", { query, session: group.session })}>{grouped(matches)} matches</a>}
      </div>
      {group.hits.map((hit, n) => <HitRow key={n} hit={hit} groupDay={groupDay} />)}
    </section>
  );
}
