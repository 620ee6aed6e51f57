// Sessions: every session of every store in one list.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { about, address, ask, useAnswer } from "../../api";
import { grouped, sentence } from "../../format";
import { copy } from "../../parts/copy";
import { Rows } from "../../parts/rows";
import { Failed, Loading, State } from "../../parts/state";
import { usePhone } from "../../parts/width";
import { useKeys } from "../../shell/keys";
import { say } from "../../shell/status";
import { change, type Route } from "../../shell/route";
import { useWatch } from "../../shell/watch";
import type { ListAnswer, Session, ShowOffsetAnswer } from "../../types";
import { activityOf, useMinute } from "./activity";
import { FilterChips } from "./chips";
import { Nothing } from "./nothing";
import { FILTERS, isShown } from "./filter";
import { type Column, inGroups, isColumn, sorted } from "./order";
import { rememberOrder } from "./recent";
import { SessionRow } from "./row";

const FIRST = 200;
const FIELDS = "id,title,project,cwd,stores,state,updated,messages,agents,branches,damage,model,models,usage.cost,usage.messages,branch,account,rows.worktree,expires,bytes,marks.pinned,ends_in,open_call";
const COLUMNS: Array<[Column, string, string]> = [
  ["title", "Title", ""],
  ["project", "Project and branch", ""],
  ["model", "Model", ""],
  ["messages", "Messages", "num hide"],
  ["size", "Size", "num hide"],
  ["cost", "Cost", "num"],
  ["expires", "Expires", "num"],
  ["updated", "Last", "num"],
];

/** Return the first sessions at once, then all of them; news renew the first ones only. */
function useSessions(turn: number) {
  const first = useAnswer<ListAnswer>(address("list", { limit: FIRST, fields: FIELDS }), turn);
  const isMore = (first.data?.total ?? 0) > FIRST;
  const all = useAnswer<ListAnswer>(isMore ? address("list", { all: true, offset: FIRST, fields: FIELDS }) : null);
  const data = useMemo(() => {
    if (!first.data || !all.data) return first.data;
    const newest = new Set(first.data.sessions.map((one) => one.id));
    const rest = all.data.sessions.filter((one) => !newest.has(one.id));
    return { ...first.data, sessions: [...first.data.sessions, ...rest] };
  }, [first.data, all.data]);
  return { ...first, data };
}

/** Return a number that grows when the list has changed, or may have: after the watch was interrupted. */
function useNews(): number {
  const [turn, setTurn] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isFirst = useRef(true);
  const ask = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTurn((now) => now + 1), 1000);
  };
  useWatch(null, {
    onSessions: ask,
    onOpen: () => {
      if (!isFirst.current) ask();
      isFirst.current = false;
    },
  });
  return turn;
}

/** Copy the command that resumes a session; the long list does not hold it. */
async function copyResume(session: Session): Promise<void> {
  const known = session.resume === undefined ? (await ask<ShowOffsetAnswer>(address(about("show", session.id), { limit: 1 }))).session : session;
  if (known.resume) await copy(known.resume, "the resume command");
  else say(sentence(known.resume_note ?? "this session cannot be resumed"));
}

/** Return how many rows are shown, of how many; a filter knows the newest sessions only until all are here. */
function amountOf(shown: number, here: number, total: number): string {
  if (here < total) return `${grouped(shown)} of the newest ${grouped(here)}, reading all ${grouped(total)}`;
  return shown === total ? grouped(total) : `${grouped(shown)} of ${grouped(total)}`;
}

function Heads({ sort }: { sort: Column }) {
  return (
    <div class="cols">
      <span />
      {COLUMNS.map(([name, label, kind]) => (
        <span key={name} class={`${kind}${sort === name ? " by" : ""}`}>
          <button type="button" aria-pressed={sort === name} onClick={() => change({ sort: name === "updated" ? null : name })}>{label}{sort === name ? " ↓" : ""}</button>
        </span>
      ))}
    </div>
  );
}

/** Move through the rows by keys; a row that a key chose takes the focus as soon as it is in the page. */
function useMoves(rows: Session[]) {
  const [current, setCurrent] = useState(-1);
  const isMoving = useRef(false);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    if (next === current) return document.querySelector<HTMLElement>("a.row.on")?.focus();
    isMoving.current = true;
    setCurrent(next);
  };
  const onFocus = (index: number): void => {
    isMoving.current = false;
    setCurrent(index);
  };
  useKeys({
    j: () => move(current + 1),
    k: () => move(current - 1),
    ArrowDown: () => move(current + 1),
    ArrowUp: () => move(current - 1),
    "g g": () => move(0),
    G: () => move(rows.length - 1),
    y: () => {
      const row = rows[Math.max(0, current)];
      if (row) void copyResume(row);
    },
  });
  return { current, isMoving, onFocus };
}

export function Sessions({ route }: { route: Route }) {
  const { params } = route;
  const { data, error } = useSessions(useNews());
  useMinute();
  const isPhone = usePhone();
  const by = params.get("by") === "project" ? "project" : "day";
  const wanted = params.get("sort");
  const sort: Column = isColumn(wanted) ? wanted : "updated";
  const sessions = data?.sessions ?? [];
  const key = params.toString();
  const groups = useMemo(() => {
    const shown = sorted(sessions.filter((one) => isShown(one, params)), sort);
    return sort === "updated" ? inGroups(shown, by) : [{ key: "all", head: null, rows: shown }];
  }, [data, key]);
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const { current, isMoving, onFocus } = useMoves(rows);
  useEffect(() => rememberOrder(rows.map((one) => one.id)), [rows]);
  if (!data) return <div class="view">{error ? <Failed error={error} /> : <Loading rows={12} />}</div>;
  if (data.total === 0) return <div class="view"><Nothing /></div>;
  const stores = new Set(sessions.flatMap((one) => one.stores)).size;
  return (
    <div class="view">
      <div class="head">
        <h1>Sessions</h1>
        <span class="q" role="status">{amountOf(rows.length, sessions.length, data.total)}, in {stores} {stores === 1 ? "store" : "stores"}</span>
        <span class="end keep"><a class="link" href="/api/list?all=1">JSON</a></span>
      </div>
      <FilterChips sessions={sessions} params={params} by={by} />
      <div class="grid">
        <Heads sort={sort} />
        <Rows
          groups={groups}
          heights={isPhone ? { row: 58, head: 38 } : { row: 34, head: 40 }}
          current={current}
          render={(session, index) => (
            <SessionRow key={session.id} session={session} activity={activityOf(session)} isCurrent={index === current} isTabStop={index === Math.max(0, current)} isBelowDay={by === "day" && sort === "updated"} isIndented={by === "project"} isMoving={isMoving} onFocus={() => onFocus(index)} />
          )}
        />
      </div>
      {rows.length === 0 && (
        <State title="No session passes these filters" steps={<button class="btn main" type="button" onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, null])))}>Show all {grouped(data.total)}</button>} />
      )}
      <footer class="foot">
        <span>Reads only. Nothing leaves this machine.</span>
        <span class="hidep"><kbd>j</kbd> <kbd>k</kbd> move &nbsp;<kbd>↵</kbd> open &nbsp;<kbd>y</kbd> copy the resume command &nbsp;<kbd>?</kbd> all keys</span>
      </footer>
    </div>
  );
}
