// The order of rows, and their groups by day or by project.
import { baseName, clock, count, day, dayKey, dollars, grouped, moment, nearDay } from "../../format";
import type { Group } from "../../parts/rows";
import type { Session } from "../../types";
import { projectName, worktreeOf } from "./filter";

export type Column = "title" | "project" | "model" | "messages" | "size" | "cost" | "expires" | "updated";

const VALUES: Record<Column, (one: Session) => string | number> = {
  title: (one) => (one.title ?? "").toLowerCase(),
  project: (one) => projectName(one.project).toLowerCase(),
  model: (one) => one.model ?? "",
  messages: (one) => -one.messages,
  size: (one) => -one.bytes,
  cost: (one) => -(one.usage.cost ?? -1),
  expires: (one) => one.expires ?? "9",
  updated: (one) => -(one.updated ? Date.parse(one.updated) : 0),
};

export function sorted(sessions: Session[], by: Column): Session[] {
  const value = VALUES[by];
  const compare = (a: Session, b: Session): number => {
    const [left, right] = [value(a), value(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return [...sessions].sort((a, b) => compare(a, b) || VALUES.updated(a) as number - (VALUES.updated(b) as number));
}

export const isColumn = (name: string | null): name is Column => name !== null && name in VALUES;

function Sums({ title, note, rows }: { title: string; note: string; rows: Session[] }) {
  const messages = rows.reduce((sum, one) => sum + one.messages, 0);
  const known = rows.filter((one) => one.usage.cost !== null);
  const cost = known.reduce((sum, one) => sum + (one.usage.cost ?? 0), 0);
  return (
    <div class="day">
      <h2>{title}<span>{note}</span></h2>
      <span class="num hide">{messages ? grouped(messages) : ""}</span>
      <span class="hide" />
      <span class="num sum">{known.length && cost ? dollars(cost) : ""}</span>
    </div>
  );
}

function head(key: string, rows: Session[], by: "day" | "project") {
  const amount = count(rows.length, "session");
  if (by === "project") return <Sums title={projectName(key)} note={`${key && key !== baseName(key) ? `${key}, ` : ""}${amount}`} rows={rows} />;
  const date = moment(rows[0]?.updated);
  if (!date) return <Sums title="Without a time" note={amount} rows={rows} />;
  return <Sums title={nearDay(date)} note={`${day(date)}, ${amount}`} rows={rows} />;
}

/** Return sessions in groups; those of a worktree stand below the others of their repository. */
export function inGroups(sessions: Session[], by: "day" | "project"): Group<Session>[] {
  const found = new Map<string, Session[]>();
  for (const one of sessions) {
    const date = moment(one.updated);
    const key = by === "project" ? (one.project ?? "") : date ? dayKey(date) : "";
    const rows = found.get(key);
    if (rows) rows.push(one);
    else found.set(key, [one]);
  }
  return [...found].map(([key, rows]) => {
    const ordered = by === "project" ? [...rows].sort((a, b) => (worktreeOf(a) ?? "").localeCompare(worktreeOf(b) ?? "")) : rows;
    return { key: `${by}:${key}`, head: head(key, rows, by), rows: ordered };
  });
}

/** Return the time of a row: the clock below a day's head, else the day. */
export function lastTime(session: Session, isBelowDay: boolean): string {
  const date = moment(session.updated);
  if (!date) return "";
  return isBelowDay || dayKey(date) === dayKey(new Date()) ? clock(date) : day(date);
}
