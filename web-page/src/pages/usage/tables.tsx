// The tables beside and below the charts; each has the numbers of its chart.
import { dollars, grouped, seconds, tokens, weekday } from "../../format";
import { sessionHref } from "../../shell/route";
import type { Tool, Usagerow } from "../../types";
import { projectName } from "../sessions/filter";
import { amountOf, type DayOfUse, type Measure, type Series } from "./series";

const shown = (amount: number, measure: Measure): string => (measure === "cost" ? dollars(amount) : tokens(Math.round(amount)));

export function Models({ all, series, measure }: { all: DayOfUse[]; series: Series; measure: Measure }) {
  const sums = series.names.map((_, n) => all.reduce((sum, one) => sum + (one.parts[n] ?? 0), 0));
  const total = sums.reduce((sum, one) => sum + one, 0);
  return (
    <table>
      <thead><tr><th>Model</th><th class="num">Share</th><th class="num">{measure === "cost" ? "Cost" : "Tokens"}</th></tr></thead>
      <tbody>
        {series.names.map((name, n) => (sums[n] ?? 0) > 0 && (
          <tr key={name}><td><span class="lead"><i class={`sw s${n + 1}`} />{name}</span></td><td class="num">{total ? `${Math.round(((sums[n] ?? 0) / total) * 100)} %` : ""}</td><td class="num">{shown(sums[n] ?? 0, measure)}</td></tr>
        ))}
      </tbody>
      <tfoot><tr><td>All</td><td /><td class="num">{shown(total, measure)}</td></tr></tfoot>
    </table>
  );
}

export function Dearest({ rows, measure }: { rows: Usagerow[]; measure: Measure }) {
  const top = [...rows].sort((a, b) => amountOf(b, measure) - amountOf(a, measure)).slice(0, 8);
  return (
    <table class="dear">
      <thead><tr><th>Session</th><th class="num">{measure === "cost" ? "Cost" : "Tokens"}</th></tr></thead>
      <tbody>{top.map((row) => <tr key={row.key}><td><a href={sessionHref(String(row.keys["session"] ?? ""))}>{row.title ?? String(row.keys["session"] ?? "without a session")}</a></td><td class="num">{shown(amountOf(row, measure), measure)}</td></tr>)}</tbody>
    </table>
  );
}

export function Projects({ rows, measure }: { rows: Usagerow[]; measure: Measure }) {
  return (
    <table class="dear">
      <thead><tr><th>Project</th><th class="num">{measure === "cost" ? "Cost" : "Tokens"}</th></tr></thead>
      <tbody>{[...rows].sort((a, b) => amountOf(b, measure) - amountOf(a, measure)).slice(0, 8).map((row) => <tr key={row.key}><td title={String(row.keys["project"] ?? "")}>{projectName((row.keys["project"] as string | null) ?? null)}</td><td class="num">{shown(amountOf(row, measure), measure)}</td></tr>)}</tbody>
    </table>
  );
}

function Bar({ one, most }: { one: DayOfUse; most: number }) {
  let x = 0;
  return (
    <svg viewBox="0 0 400 8" preserveAspectRatio="none" height={8} aria-hidden="true">
      {one.parts.map((part, n) => {
        const width = (part / most) * 400;
        const made = width > 0 && <rect key={n} class={`s${n + 1}`} x={x} y={0} width={Math.max(0.6, width - 0.8)} height={8} />;
        x += width;
        return made;
      })}
    </svg>
  );
}

export function Days({ all, isWhole }: { all: DayOfUse[]; isWhole: boolean }) {
  const used = all.filter((one) => one.row.messages > 0).reverse();
  const rows = isWhole ? used : used.slice(0, 8);
  const most = Math.max(1e-9, ...rows.map((one) => one.total));
  return (
    <table>
      <thead><tr><th>Day</th><th class="hidep">By model</th><th class="num hidep">Messages</th><th class="num hidep">Input</th><th class="num">Output</th><th class="num hidep">Cache write</th><th class="num">Cache read</th><th class="num">Cost</th></tr></thead>
      <tbody>
        {rows.map((one) => {
          const date = new Date(`${one.day}T12:00:00`);
          return (
            <tr key={one.day}>
              <td>{one.day} <span class="q hidep">{weekday(date).slice(0, 3)}</span></td><td class="hidep fill"><Bar one={one} most={most} /></td>
              <td class="num hidep">{grouped(one.row.messages)}</td><td class="num hidep">{tokens(one.row.input)}</td><td class="num">{tokens(one.row.output)}</td>
              <td class="num hidep">{tokens(one.row.cache_write)}</td><td class="num">{tokens(one.row.cache_read)}</td><td class="num">{dollars(one.row.cost)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function Blocks({ rows }: { rows: Usagerow[] }) {
  return (
    <table>
      <thead><tr><th>Block of five hours</th><th class="num">Messages</th><th class="num">Output</th><th class="num">Cost</th></tr></thead>
      <tbody>{[...rows].reverse().slice(0, 8).map((row) => <tr key={row.key}><td>{row.key}</td><td class="num">{grouped(row.messages)}</td><td class="num">{tokens(row.output)}</td><td class="num">{dollars(row.cost)}</td></tr>)}</tbody>
    </table>
  );
}

export function Tools({ tools }: { tools: Tool[] }) {
  return (
    <table>
      <thead><tr><th>Tool</th><th class="num">Calls</th><th class="num">Errors</th><th class="num hidep">Refused</th><th class="num hidep">Sessions</th><th class="num">Time</th><th class="num hidep">Slowest</th></tr></thead>
      <tbody>{tools.slice(0, 12).map((tool) => (
        <tr key={tool.name}><td>{tool.name}</td><td class="num">{grouped(tool.calls)}</td><td class={tool.errors ? "num bad" : "num"}>{tool.errors ? grouped(tool.errors) : ""}</td><td class="num hidep">{tool.refusals ? grouped(tool.refusals) : ""}</td><td class="num hidep">{grouped(tool.sessions)}</td><td class="num">{seconds(tool.seconds)}</td><td class="num hidep">{seconds(tool.slowest)}</td></tr>
      ))}</tbody>
    </table>
  );
}
