// The reader: one session, with all branches, agents, compactions and damage where they are.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { WindowVirtualizerHandle } from "virtua";
import { about, address, useAnswer } from "../../api";
import { sentence } from "../../format";
import { copy } from "../../parts/copy";
import { Segment } from "../../parts/chips";
import { Failed, Loading, State } from "../../parts/state";
import { useKeys } from "../../shell/keys";
import { change, go, href, type Route, sessionHref } from "../../shell/route";
import { useWatch } from "../../shell/watch";
import type { Landmark, OutlineAnswer, TreeAnswer } from "../../types";
import { neighbour } from "../sessions/recent";
import { Dock } from "./dock";
import { Feed, idOf } from "./feed";
import { SessionHead, Tabs } from "./head";
import { type ShownMessage, type ShownPart, useMessages } from "./messages";
import { landmarks, Side } from "./outline";
import { PartsMenu } from "./parts_menu";
import { agentsAround, buildRows, type Row } from "./rows";

const NEAR = 1200;
const LIVE = 15 * 60_000;

const toggled = (set: ReadonlySet<string>, value: string): Set<string> => {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
};

/** Return how many seconds a call took, from the messages that are here. */
function useTook(messages: ShownMessage[]): (part: ShownPart, message: ShownMessage) => number | null {
  const ends = useMemo(() => {
    const found = new Map<unknown, number>();
    for (const one of messages) for (const part of one.parts) if (part.kind === "result" && one.time) found.set(part.id, Date.parse(one.time));
    return found;
  }, [messages]);
  return (part, message) => {
    const end = part.kind === "call" ? ends.get(part.id) : undefined;
    return end === undefined || !message.time ? null : (end - Date.parse(message.time)) / 1000;
  };
}

const STILL = 5;

/** Show the end, until it stays for some frames: rows that were never shown get their heights while this scrolls. */
function followEnd(isFollowing: { current: boolean }, height = 0, still = 0): void {
  requestAnimationFrame(() => {
    if (!isFollowing.current) return;
    const now = document.documentElement.scrollHeight;
    scrollTo(0, now);
    if (now !== height) followEnd(isFollowing, now);
    else if (still < STILL) followEnd(isFollowing, now, still + 1);
  });
}

const PATIENCE = 60;

/** Focus a row as soon as the page shows it, unless a newer key chose another one or the row does not come. */
function focusSoon(awaited: { current: string | null }, key: string, frames = PATIENCE): void {
  requestAnimationFrame(() => {
    if (awaited.current !== key) return;
    const row = document.querySelector<HTMLElement>(`article[data-key="${CSS.escape(key)}"]`);
    row?.focus({ preventScroll: true });
    if (row && document.activeElement === row || frames === 0) awaited.current = null;
    else focusSoon(awaited, key, frames - 1);
  });
}

export function Reader({ route }: { route: Route }) {
  const id = decodeURIComponent(route.path.split("/")[2] ?? "");
  const branch = route.params.get("branch");
  const at = route.params.get("at");
  const { held, start, later, earlier, renew } = useMessages(id, branch);
  const first = held.page?.session;
  const outline = useAnswer<OutlineAnswer>(first ? address(about("outline", id)) : null, held.total);
  const tree = useAnswer<TreeAnswer>(first && first.branches > 1 ? address(about("tree", id)) : null);
  const [openAgents, setOpenAgents] = useState<ReadonlySet<string>>(new Set());
  const [openCopies, setOpenCopies] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string | null>(null);
  /** The row that a key chose and that has not taken the focus yet. */
  const awaited = useRef<string | null>(null);
  const [here, setHere] = useState(0);
  const [fresh, setFresh] = useState(0);
  const [isScrolled, setScrolled] = useState(false);
  const [isSheet, setSheet] = useState(false);
  const handle = useRef<WindowVirtualizerHandle | null>(null);
  const pending = useRef<{ id?: string; n?: number; isEnd?: boolean; isNews?: boolean } | null>(null);
  const isFollowing = useRef(false);
  const lastY = useRef(0);
  const known = useRef<number | null>(null);
  const shownBranch = useRef(branch);

  useEffect(() => {
    const inside = at !== null && held.messages.some((one) => one.id.startsWith(at));
    if (at !== null) pending.current = { id: at };
    const isOther = shownBranch.current !== branch;
    shownBranch.current = branch;
    if (!held.page || isOther || (at !== null && !inside)) void start(at === null ? { offset: 0 } : { at });
  }, [id, branch, at]);

  const isFocus = route.params.get("focus") === "1";
  const hide = route.params.get("hide") ?? "";
  const isWhole = held.from + held.messages.length >= held.total;
  const rows = useMemo(() => {
    const inside = at ? agentsAround(held.messages, at) : [];
    return buildRows(held.messages, {
      from: held.from, branch: branch ?? "main", isFocus, hidden: new Set(hide.split(",").filter(Boolean)),
      openAgents: new Set([...openAgents, ...inside]), openCopies, nodes: tree.data?.nodes ?? [], agents: held.agents, items: branch === null ? (outline.data?.items ?? []) : [], damage: held.page?.damage ?? [],
    }, isWhole);
  }, [held, isFocus, hide, openAgents, openCopies, tree.data, outline.data, at]);
  const items = useMemo(() => (branch === null ? landmarks(outline.data?.items ?? []) : branchItems(held.messages, held.from)), [outline.data, branch, held]);
  const tookOf = useTook(held.messages);

  const indexOf = (target: { id?: string; n?: number }): number => {
    const wanted = target.id;
    const exact = wanted === undefined ? -1 : rows.findIndex((row) => idOf(row)?.startsWith(wanted));
    if (exact >= 0) return exact;
    const n = target.n ?? held.from + held.messages.findIndex((one) => wanted !== undefined && one.id.startsWith(wanted));
    return rows.findLastIndex((row) => row.n <= n);
  };

  // News: at the end the page follows; further up it only counts them, and what is read stays where it is.
  useEffect(() => {
    const grown = known.current === null ? 0 : held.total - known.current;
    known.current = held.messages.length && branch === null ? held.total : null;
    if (grown <= 0) return;
    if (isFollowing.current) pending.current = { isEnd: true, isNews: true };
    else setFresh((before) => before + grown);
  }, [held, branch]);

  useEffect(() => {
    const target = pending.current;
    if (!target || !rows.length || !handle.current) return;
    if (target.isNews && !isFollowing.current) return void (pending.current = null);
    const isHere = target.isEnd ? isWhole : target.id === undefined || held.messages.some((one) => one.id.startsWith(target.id ?? ""));
    if (!isHere) return;
    pending.current = null;
    const index = target.isEnd ? rows.length - 1 : indexOf(target);
    if (target.isNews) return followEnd(isFollowing);
    setCurrent(rows[index]?.key ?? null);
    if (index === 0 && !target.id) return scrollTo(0, 0);
    const scroll = (): void => handle.current?.scrollToIndex(index, target.isEnd ? { align: "end" } : { align: "start", offset: -104 });
    scroll();
    requestAnimationFrame(scroll);
  }, [rows]);

  const fill = (): void => {
    const below = document.documentElement.scrollHeight - innerHeight - scrollY;
    if (below < NEAR && !isWhole) void later();
    else if (scrollY < NEAR && held.from > 0) void earlier();
  };
  useEffect(fill, [rows]);
  const isAtEnd = (): boolean => isWhole && (document.querySelector(".feed")?.getBoundingClientRect().bottom ?? Infinity) < innerHeight + 120;
  useEffect(() => void (held.page && isAtEnd() && (isFollowing.current = true)), [rows]);

  const onScroll = (): void => {
    setScrolled(scrollY > 140);
    fill();
    const top = document.elementsFromPoint(innerWidth / 3, 130).map((one) => one.closest<HTMLElement>("article[data-n]")).find(Boolean);
    if (top) setHere(Number(top.dataset["n"]));
    if (current !== null && awaited.current === null && !document.querySelector(`article[data-key="${CSS.escape(current)}"]`)) setCurrent(null);
    // Only a move towards the start ends the following: new messages push the end away without one.
    if (isAtEnd()) {
      isFollowing.current = true;
      setFresh(0);
    } else if (scrollY < lastY.current) isFollowing.current = false;
    lastY.current = scrollY;
  };
  useEffect(() => {
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  });

  const session = held.page?.session;
  const isLive = session?.updated !== undefined && session.updated !== null && Date.now() - Date.parse(session.updated) < LIVE;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useWatch(id, {
    onMessage: () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void renew(), 300);
    },
    onOpen: () => void renew(),
  }, held.page !== null && branch === null);

  const move = (step: number): void => {
    const from = rows.findIndex((row) => row.key === current);
    const base = from >= 0 ? from + step : rows.findIndex((row) => row.n >= here);
    focusRow(Math.max(0, Math.min(rows.length - 1, base)));
  };
  const focusRow = (index: number): void => {
    const key = rows[index]?.key;
    if (key === undefined) return;
    awaited.current = key;
    setCurrent(key);
    handle.current?.scrollToIndex(index, { align: "nearest", offset: step(index) });
    focusSoon(awaited, key);
  };
  const onFocus = (key: string): void => {
    if (awaited.current === null || awaited.current === key) setCurrent(key);
  };
  const step = (index: number): number => {
    const top = (handle.current?.getItemOffset(index) ?? 0) - (handle.current?.scrollOffset ?? 0);
    return top < 104 ? -104 : 0;
  };
  const prompts = items.filter((item) => item.kind === "prompt");
  const nowAt = rows.find((row) => row.key === current)?.n ?? here;
  const goTo = (item: Landmark | undefined): void => {
    if (!item) return;
    setSheet(false);
    change({ at: item.message });
    pending.current = { id: item.message };
    if (item.message === at) setCurrent((before) => before);
    const index = rows.findIndex((row) => idOf(row) === item.message);
    if (index >= 0) focusRow(index);
  };
  const jump = (isEnd: boolean): void => {
    change({ at: null });
    setFresh(0);
    if (isEnd ? isWhole : held.from === 0) return focusRow(isEnd ? rows.length - 1 : 0);
    pending.current = isEnd ? { isEnd } : { n: 0 };
    void start({ offset: isEnd ? Math.max(0, held.total - 40) : 0 });
  };
  const otherSession = (by: -1 | 1): void => void neighbour(id, by).then((other) => other && (go(sessionHref(other)), scrollTo(0, 0)));
  const branches = ["main", ...(tree.data?.nodes ?? []).filter((node) => node.kind === "branch" && node.id !== "main").map((node) => node.id)];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    n: () => goTo(prompts.find((item) => item.n > nowAt)),
    p: () => goTo(prompts.findLast((item) => item.n < nowAt)),
    "g g": () => jump(false),
    G: () => jump(true),
    "[": () => otherSession(-1),
    "]": () => otherSession(1),
    b: () => {
      const next = branches[(branches.indexOf(branch ?? "main") + 1) % branches.length];
      if (branches.length > 1) change({ branch: next === "main" ? null : next, at: null }, false);
    },
    t: () => go(`${sessionHref(id)}/tree`),
    f: () => go(`${sessionHref(id)}/files`),
    y: () => session?.resume && void copy(session.resume, "the resume command"),
    Escape: () => (isSheet ? setSheet(false) : go("/")),
  });
  useEffect(() => {
    if (session) document.title = `${session.title ?? "Session"} · backscroll`;
  }, [session?.title]);

  if (!session) return <div class="view">{held.error ? <Failed error={held.error} isElsewhere={at !== null && held.error.status === 404} /> : <Loading rows={10} />}</div>;
  const actions = { session: id, toggleAgent: (agent: string) => setOpenAgents((set) => toggled(set, agent)), toggleCopies: (one: string) => setOpenCopies((set) => toggled(set, one)), tookOf };
  return (
    <div class="view">
      {isScrolled && <div class="mini"><div><b class="cut">{session.title ?? "(no prompt yet)"}</b><Tabs session={session} tab="" /></div></div>}
      <SessionHead session={session} isLive={isLive} tab="">
        <span class="end">
          <Segment label="Shown messages" value={isFocus ? "1" : ""} choices={[{ value: "", label: "All" }, { value: "1", label: "Focus" }]} onChange={(value) => change({ focus: value })} />
          <PartsMenu hidden={hide} />
        </span>
      </SessionHead>
      <div class="reader">
        <div>
          {branch && <p class="note onbranch">This is branch {branch}, which the session left. <a class="link" href={sessionHref(id)}>Back to the main branch</a></p>}
          {held.total === 0 ? <Silent state={session.state} note={session.resume_note} id={id} /> : (
            <Feed rows={rows} total={held.total} current={current ?? rows[0]?.key ?? null} target={at ? (idOf(rows[indexOf({ id: at })] ?? rows[0] as Row) ?? null) : null} actions={actions} isShifted={held.isShifted} handle={handle} onScroll={onScroll} onFocus={onFocus} />
          )}
        </div>
        <Side session={id} query={route.params.get("find") ?? ""} items={items} here={nowAt} onGo={goTo} isSheet={isSheet} />
      </div>
      {fresh > 0 && <button class="btn main pill" type="button" onClick={() => jump(true)}>{fresh} new ↓</button>}
      <Dock prompts={prompts} here={nowAt} onGo={goTo} onOutline={() => setSheet(!isSheet)} isSheet={isSheet} />
    </div>
  );
}

/** Return the landmarks of a branch that was left: its prompts, as far as they are here. */
function branchItems(messages: ShownMessage[], from: number): Landmark[] {
  return messages.flatMap((one, n) => (one.is_typed ? [{ n: from + n, message: one.id, kind: "prompt", label: one.parts[0]?.text?.slice(0, 80) ?? "", time: one.time }] : []));
}

function Silent({ state, note, id }: { state: string; note: string | null; id: string }) {
  return (
    <State title="There are no messages here" steps={<><a class="btn main" href="/">All sessions</a><a class="btn" href={href(`/cowork/${encodeURIComponent(id)}`)}>What Desktop knows</a></>}>
      <p>{state === "ghost" ? "Desktop still lists this session, but its transcript is gone." : state === "remote" ? "This session was held on another machine." : "Nothing was said in this session."}</p>
      {note && <p>{sentence(note)}</p>}
    </State>
  );
}
