// The side: find over the whole session, and the outline of its landmarks.
import { useEffect, useRef, useState } from "preact/hooks";
import { address, useAnswer } from "../../api";
import { baseName, clock, grouped, moment } from "../../format";
import { Icon } from "../../parts/icon";
import { Marked } from "../../parts/marked";
import { change } from "../../shell/route";
import type { Hit, Landmark, SearchAnswer } from "../../types";

const ICONS: Record<string, string> = { compaction: "fold", fork: "fork", agent: "agent", error: "x", change: "edit", plan: "plan" };
const KINDS = [["", "All"], ["prompt", "Prompts"], ["error", "Errors"], ["change", "Changes"]] as const;
const ROW = 26;
/** Each match costs the reading of its message: few at each letter. */
const FEW_FOUND = 50;
const MOST_FOUND = 500;

/** Return the landmarks without the prompts that agents were given. */
export function landmarks(items: Landmark[]): Landmark[] {
  return items.filter((item, n) => !(item.kind === "prompt" && items[n - 1]?.kind === "agent" && items[n - 1]?.n === item.n - 1));
}

function labelOf(item: Landmark): string {
  if (item.kind === "change") return item.label.replace(/^(\w+) (.*)$/, (_, how: string, path: string) => `${baseName(path)} ${how}`);
  if (item.kind === "compaction") return "Compacted";
  return item.kind === "fork" ? item.label.replace(/^branch(es)?/, "Fork:") : item.label;
}

interface OutlineOf {
  items: Landmark[];
  here: number;
  onGo: (item: Landmark) => void;
}

function Items({ items, here, onGo }: OutlineOf) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const current = items.findLastIndex((item) => item.n <= here);
  useEffect(() => {
    const one = box.current;
    if (!one || current < 0) return;
    if (current * ROW < one.scrollTop || (current + 2) * ROW > one.scrollTop + one.clientHeight) one.scrollTop = Math.max(0, current * ROW - one.clientHeight / 2);
  }, [current]);
  const first = Math.max(0, Math.floor(top / ROW) - 10);
  const shown = items.slice(first, first + 70);
  let prompts = items.slice(0, first).filter((item) => item.kind === "prompt").length;
  return (
    <div class="outbox" ref={box} onScroll={(event) => setTop(event.currentTarget.scrollTop)} tabIndex={items.length ? undefined : -1}>
      <ol class="out" style={{ height: `${items.length * ROW}px`, paddingTop: `${first * ROW}px` }}>
        {shown.map((item, n) => {
          if (item.kind === "prompt") prompts += 1;
          const kind = `${item.kind === "prompt" ? "" : "sub"}${item.kind === "error" ? " bad" : ""}${first + n === current ? " here" : ""}`;
          return (
            <li key={first + n} class={kind}>
              <button type="button" aria-current={first + n === current ? "location" : undefined} onClick={() => onGo(item)}>
                {item.kind === "prompt" ? <span class="no">{prompts}</span> : <Icon name={ICONS[item.kind] ?? "caret"} />}
                <span class="cut">{labelOf(item)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function Kinds({ items, kind, onKind }: { items: Landmark[]; kind: string; onKind: (kind: string) => void }) {
  const size = (name: string): number => (name ? items.filter((item) => item.kind === name).length : items.length);
  return (
    <div class="kinds" role="group" aria-label="Kinds of landmarks">
      {KINDS.filter(([name]) => !name || size(name) > 0).map(([name, label]) => (
        <button key={name} type="button" aria-pressed={kind === name} onClick={() => onKind(name)}>{label} {grouped(size(name))}</button>
      ))}
    </div>
  );
}

function Found({ session, query }: { session: string; query: string }) {
  const [wide, setWide] = useState("");
  const limit = wide === query ? MOST_FOUND : FEW_FOUND;
  const { data, error } = useAnswer<SearchAnswer>(address("search", { query, session, typing: true, all_hits: true, sort: "time", limit }));
  const hits = (data?.hits ?? []).filter((hit): hit is Hit & { message: string } => hit.message !== null);
  if (error) return <p class="q note">{error.what}</p>;
  return (
    <>
      <p class="kinds" role="status">{data ? `${grouped(data.total ?? hits.length)} ${data.total === 1 ? "match" : "matches"}${hits.length < (data.total ?? 0) ? `, the last ${hits.length}` : ""}` : ""}</p>
      <ol class="out found">
        {hits.map((hit, n) => (
          <li key={n}>
            <button type="button" onClick={() => change({ at: hit.message })}><span class="no">{clock(moment(hit.time))}</span><span class="snippet"><Marked text={hit.snippet} marks={hit.marks} /></span></button>
          </li>
        ))}
      </ol>
      {data && limit === FEW_FOUND && hits.length < (data.total ?? 0) && <button class="btn" type="button" onClick={() => setWide(query)}>Show more matches</button>}
    </>
  );
}

interface SideOf extends OutlineOf {
  session: string;
  query: string;
  isSheet: boolean;
}

export function Side({ session, query, items, here, onGo, isSheet }: SideOf) {
  const [kind, setKind] = useState("");
  const shown = kind ? items.filter((item) => item.kind === kind) : items;
  return (
    <aside class={isSheet ? "side sheet" : "side"} aria-label="Outline">
      <label class="box">
        <Icon name="find" />
        <input type="search" aria-label="Find in this session" placeholder="Find in this session" value={query} onInput={(event) => change({ find: event.currentTarget.value })} />
      </label>
      {query ? <Found session={session} query={query} /> : (
        <>
          <Kinds items={items} kind={kind} onKind={setKind} />
          <Items items={shown} here={here} onGo={onGo} />
        </>
      )}
    </aside>
  );
}
