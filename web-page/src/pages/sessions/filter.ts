// Filters of the list: each lives in the address, and each counts the rows that it would leave.
import type { Choice } from "../../parts/chips";
import { baseName, expiry, modelName } from "../../format";
import type { Session } from "../../types";
import { isCutOff } from "./activity";

export const TIMES: Choice[] = [
  { value: "1d", label: "Last 24 hours" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
  { value: "90d", label: "Last 90 days" },
  { value: "365d", label: "Last year" },
];

type Test = (session: Session, value: string) => boolean;

const since = (value: string): number => Date.now() - Number.parseInt(value, 10) * 86_400_000;

const TESTS: Record<string, Test> = {
  since: (one, value) => one.updated !== null && Date.parse(one.updated) >= since(value),
  project: (one, value) => one.project === value,
  store: (one, value) => one.stores.includes(value),
  account: (one, value) => one.account === value,
  model: (one, value) => one.models.some((model) => modelName(model) === value),
  state: (one, value) => one.state === value,
  expiring: (one) => expiry(one.expires) !== "",
  damaged: (one) => one.damage > 0 || one.state === "damaged" || one.state === "unreadable",
  cutoff: (one) => isCutOff(one),
  pinned: (one) => one.marks?.pinned === true,
};

export const FILTERS = Object.keys(TESTS);

export function isShown(session: Session, params: URLSearchParams, except = ""): boolean {
  return FILTERS.every((name) => {
    const value = params.get(name);
    return name === except || !value || TESTS[name]?.(session, value);
  });
}

/** Return the values that sessions have, the most frequent first. */
export function choices(sessions: Session[], valuesOf: (one: Session) => Array<string | null>, label = (value: string): string => value): Choice[] {
  const counted = new Map<string, number>();
  for (const one of sessions) for (const value of new Set(valuesOf(one))) if (value) counted.set(value, (counted.get(value) ?? 0) + 1);
  return [...counted].map(([value, count]) => ({ value, label: label(value), count })).sort((a, b) => b.count - a.count || a.label.localeCompare(b.label));
}

export const projectName = (path: string | null): string => baseName(path) || "no project";

/** Return the name of the worktree that a session was held in, if it was one. */
export function worktreeOf(session: Session): string | null {
  if (!session.cwd || !session.project || session.cwd === session.project) return null;
  const row = session.rows.find((one) => one.worktree);
  return /[\\/]worktrees[\\/]/.test(session.cwd) || row ? baseName(session.cwd) : null;
}
