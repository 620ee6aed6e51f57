// The messages that the reader holds: a window of some thousands, read page by page.
import { useEffect, useRef, useState } from "preact/hooks";
import { about, address, ask, Failure } from "../../api";
import type { Agent, Message, Part, ShowOffsetAnswer } from "../../types";

export interface ShownPart extends Part {
  html?: string;
  cut?: number;
}

export interface ShownMessage extends Message {
  parts: ShownPart[];
}

export interface Held {
  page: ShowOffsetAnswer | null;
  /** The number of the first message here. */
  from: number;
  messages: ShownMessage[];
  /** The agents of these messages and of those before, by id. */
  agents: Record<string, Agent>;
  total: number;
  /** True if the last change was at the beginning, so that the view keeps its place. */
  isShifted: boolean;
  error: Failure | null;
}

const PAGE = 40;
const MOST = 2000;
const NEAR_END = 10;
const EMPTY: Held = { page: null, from: 0, messages: [], agents: {}, total: 0, isShifted: false, error: null };

type Place = { at: string } | { offset: number };

export function useMessages(session: string, branch: string | null) {
  const [held, setHeld] = useState<Held>(EMPTY);
  const now = useRef(held);
  now.current = held;
  const busy = useRef(false);
  const turn = useRef(0);
  const isStale = useRef(false);

  const read = (place: Place, limit = PAGE): Promise<ShowOffsetAnswer> =>
    ask<ShowOffsetAnswer>(address(about("show", session), { html: true, branch, limit, ...place }));

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    const mine = turn.current;
    try {
      await work();
    } catch (error) {
      if (mine === turn.current) setHeld((before) => ({ ...before, error: error instanceof Failure ? error : new Failure(0, String(error)) }));
    } finally {
      if (mine === turn.current) {
        busy.current = false;
        if (isStale.current) void renew();
      }
    }
  };

  const set = (page: ShowOffsetAnswer, from: number, messages: ShownMessage[], isShifted: boolean): void => {
    const agents = { ...now.current.agents, ...Object.fromEntries(page.agents.map((one) => [one.id, one])) };
    now.current = { page, from, messages, agents, total: page.total, isShifted, error: null };
    setHeld(now.current);
  };

  /** Read the page around a place; it replaces everything. */
  const start = (place: Place): Promise<void> => {
    turn.current += 1;
    busy.current = false;
    const mine = turn.current;
    return guarded(async () => {
      const page = await read(place);
      if (mine === turn.current) set(page, page.offset, page.messages, false);
    });
  };

  const later = (): Promise<void> =>
    guarded(async () => {
      const { from, messages, total } = now.current;
      const to = from + messages.length;
      if (to >= total) return;
      const mine = turn.current;
      const page = await read({ offset: to });
      if (mine !== turn.current) return;
      const all = [...messages, ...page.messages];
      const dropped = Math.max(0, all.length - MOST);
      set(page, from + dropped, all.slice(dropped), dropped > 0);
    });

  const earlier = (): Promise<void> =>
    guarded(async () => {
      const { from, messages } = now.current;
      if (from === 0) return;
      const mine = turn.current;
      const size = Math.min(PAGE, from);
      const page = await read({ offset: from - size }, size);
      if (mine === turn.current) set(page, from - size, [...page.messages, ...messages].slice(0, MOST), true);
    });

  /** Read the end again, now or after the page that is on its way: new messages, and results of calls that had none. */
  const renew = (): Promise<void> => {
    isStale.current = busy.current;
    return guarded(async () => {
      const { from, messages, total } = now.current;
      const to = from + messages.length;
      const mine = turn.current;
      if (to < total) {
        const page = await read({ offset: to }, 1);
        if (mine === turn.current) setHeld((before) => ({ ...before, total: page.total }));
        return;
      }
      const kept = Math.max(0, messages.length - NEAR_END);
      const page = await read({ offset: from + kept }, 200);
      if (mine === turn.current) set(page, from, [...messages.slice(0, kept), ...page.messages], false);
    });
  };

  useEffect(() => setHeld((before) => ({ ...before, from: 0, messages: [] })), [session, branch]);
  return { held, start, later, earlier, renew };
}
