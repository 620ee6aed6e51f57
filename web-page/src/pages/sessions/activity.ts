// What a session does now, or did when it stopped: known from its last message and the time of it.
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../types";

export interface Activity {
  state: "work" | "wait" | "cutoff";
  /** A few words in place of the time, as long as they are news. */
  text: string | null;
}

const RECENT = 30 * 60_000;
const QUIET = 5 * 60_000;
const ASKING = new Set(["AskUserQuestion", "ExitPlanMode"]);

const age = (session: Session, now: number): number => (session.updated ? now - Date.parse(session.updated) : Infinity);

/** Return true if the last thing in a session is a call without a result, and nobody waits for one. */
export const isCutOff = (session: Session, now = Date.now()): boolean =>
  session.ends_in === "call" && age(session, now) > (ASKING.has(session.open_call ?? "") ? RECENT : QUIET);

export function activityOf(session: Session, now = Date.now()): Activity | null {
  const since = age(session, now);
  if (isCutOff(session, now)) return { state: "cutoff", text: since > RECENT ? null : `ended in ${session.open_call ?? "a call"}` };
  if (since > RECENT || session.ends_in === null) return null;
  if (session.ends_in === "call") return ASKING.has(session.open_call ?? "") ? { state: "wait", text: "asks you" } : { state: "work", text: session.open_call };
  if (session.ends_in === "answer") return { state: "wait", text: "waits for you" };
  return since > QUIET ? null : { state: "work", text: "working" };
}

/** Draw again each minute: time alone makes a working session a quiet one. */
export function useMinute(): void {
  const [, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTurn((turn) => turn + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
}
