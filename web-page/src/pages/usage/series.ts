// The colours of models: by cost over all time, so that a model keeps its colour under every filter.
import { modelName } from "../../format";
import type { Usagerow } from "../../types";

export const OTHERS = "others";

export interface Series {
  names: string[];
  of: (model: unknown) => number;
}

/** Return up to four series of their own, and one for all others. */
export function seriesOf(allTime: Usagerow[]): Series {
  const sums = new Map<string, number>();
  for (const row of allTime) {
    const name = modelName(String(row.keys["model"] ?? "")) || OTHERS;
    sums.set(name, (sums.get(name) ?? 0) + (row.cost ?? 0));
  }
  const ranked = [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name).filter((name) => name !== OTHERS);
  const own = ranked.length <= 5 ? ranked.slice(0, 5) : ranked.slice(0, 4);
  const names = ranked.length > own.length ? [...own, OTHERS] : own;
  return {
    names,
    of: (model) => {
      const at = own.indexOf(modelName(String(model ?? "")));
      return at < 0 ? names.length - 1 : at;
    },
  };
}

export type Measure = "cost" | "tokens";

export function amountOf(row: { cost: number | null; input: number | null; output: number | null; cache_write: number | null; cache_read: number | null }, measure: Measure): number {
  if (measure === "cost") return row.cost ?? 0;
  return (row.input ?? 0) + (row.output ?? 0) + (row.cache_write ?? 0) + (row.cache_read ?? 0);
}

export interface DayOfUse {
  day: string;
  /** The amount of each series. */
  parts: number[];
  total: number;
  row: { input: number; output: number; cache_write: number; cache_read: number; cost: number; messages: number };
}

/** Return one entry for each day from the first to the last, those without use too. */
export function days(rows: Usagerow[], series: Series, measure: Measure, first: string, last: string): DayOfUse[] {
  const found = new Map<string, DayOfUse>();
  const date = new Date(`${first}T12:00:00`);
  for (let n = 0; n < 1500; n += 1) {
    const day = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
    found.set(day, { day, parts: series.names.map(() => 0), total: 0, row: { input: 0, output: 0, cache_write: 0, cache_read: 0, cost: 0, messages: 0 } });
    if (day >= last) break;
    date.setDate(date.getDate() + 1);
  }
  for (const row of rows) {
    const one = found.get(String(row.keys["day"]));
    if (!one) continue;
    const amount = amountOf(row, measure);
    const at = series.of(row.keys["model"]);
    one.parts[at] = (one.parts[at] ?? 0) + amount;
    one.total += amount;
    for (const name of ["input", "output", "cache_write", "cache_read", "cost", "messages"] as const) one.row[name] += row[name] ?? 0;
  }
  return [...found.values()];
}
