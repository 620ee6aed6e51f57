// One cell of a table, by the kind of its column.
import { bytes, day, clock, dollars, grouped, moment, seconds } from "../../format";
import { copy } from "../../parts/copy";
import { sessionHref } from "../../shell/route";
import type { Column, Values } from "./tables";

const NUMBERS = new Set(["failures", "count", "bytes", "time", "seconds", "cost"]);
const LONGEST = 300;

export const isNumber = (column: Column): boolean => NUMBERS.has(column.kind);

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Return the text of a cell, as it is shown and filtered. */
export function textOf(column: Column, row: Values): string {
  const value = column.value(row);
  if (value === null || value === undefined) return "";
  const number = Number(value);
  switch (column.kind) {
    case "count":
    case "failures":
      return number ? grouped(number) : "";
    case "bytes":
      return number ? bytes(number) : "";
    case "seconds":
      return seconds(number);
    case "cost":
      return dollars(number);
    case "time": {
      const date = moment(String(value));
      return date ? `${day(date)}, ${clock(date)}` : "";
    }
    case "bad":
      return value === 0 ? "" : plain(value);
    default:
      return plain(value);
  }
}

const TONES: Record<string, string> = { warning: "warn", note: "q" };

export function Cell({ column, row }: { column: Column; row: Values }) {
  const text = textOf(column, row);
  const kind = `${isNumber(column) ? "num" : ""}${column.isWide ? " hidep" : ""}${column.kind === "mono" || column.kind === "value" ? " mono" : ""}`;
  if (column.kind === "bad" || column.kind === "failures") return <td class={kind}><span class={TONES[text] ?? "bad"}>{text}</span></td>;
  if (column.kind === "value") return <td class={`${kind} value`}><span>{text.slice(0, LONGEST)}{text.length > LONGEST ? "…" : ""}</span></td>;
  if (column.kind === "command") return <td class="mono command">{text && <button type="button" class="link" title={text} aria-label={`Copy the command ${text}`} onClick={() => void copy(text, "the command")}>{text}</button>}</td>;
  const link = column.link?.(row) as { session?: unknown; at?: unknown; branch?: unknown } | undefined;
  if (link?.session) {
    const branch = link.branch && link.branch !== "main" ? String(link.branch) : null;
    return <td class={kind}><a class="link" href={sessionHref(String(link.session), { at: link.at ? String(link.at) : null, branch })}>{text || "(no prompt yet)"}</a></td>;
  }
  return <td class={`${kind}${column.kind === "mono" || text.length > 60 ? " value" : ""}`}><span>{text}</span></td>;
}
