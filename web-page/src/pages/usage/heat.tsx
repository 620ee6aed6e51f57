// The calendar of a year, and the hours of the week.
import { day, dollars, month, tokens } from "../../format";
import type { Usagerow } from "../../types";
import { amountOf, type Measure } from "./series";

const CELL = 14.4;
const SIZE = 11.4;
const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const text = (amount: number, measure: Measure): string => (measure === "cost" ? dollars(amount) : tokens(Math.round(amount)));
const fromMonday = (date: Date): number => (date.getDay() + 6) % 7;

/** Return the step of an amount, 0 to 4; steps are quarters of the ninth decile, so that one day does not hide the rest. */
function steps(amounts: number[]): (amount: number) => number {
  const some = amounts.filter((amount) => amount > 0).sort((a, b) => a - b);
  const top = some[Math.floor(some.length * 0.9)] ?? some.at(-1) ?? 1;
  return (amount) => (amount <= 0 ? 0 : Math.min(4, 1 + Math.floor((amount / top) * 3.999)));
}

export function Calendar({ rows, measure, weeks, now = new Date() }: { rows: Usagerow[]; measure: Measure; weeks: number; now?: Date }) {
  const amounts = new Map(rows.map((row) => [String(row.keys["day"]), amountOf(row, measure)]));
  const step = steps([...amounts.values()]);
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - fromMonday(now) - 7 * (weeks - 1), 12);
  const cells = Array.from({ length: 7 * (weeks - 1) + fromMonday(now) + 1 }, (_, n) => new Date(first.getFullYear(), first.getMonth(), first.getDate() + n, 12));
  const key = (date: Date): string => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
  return (
    <svg viewBox={`0 0 ${30 + weeks * CELL} 118.8`} role="img" aria-label={`Use per day over ${weeks} weeks; its table has the same numbers`}>
      {[0, 2, 4].map((n) => <text key={n} class="axis" x={0} y={27 + n * CELL}>{WEEKDAYS[n]}</text>)}
      {cells.map((date, n) => {
        const [x, y] = [30 + Math.floor(n / 7) * CELL, 18 + (n % 7) * CELL];
        const amount = amounts.get(key(date)) ?? 0;
        const isToday = n === cells.length - 1;
        return (
          <>
            {date.getDate() <= 7 && n % 7 === 0 && <text class="axis" x={x} y={10}>{month(date)}</text>}
            <rect class={`h${step(amount)}`} x={x} y={y} width={SIZE} height={SIZE} rx={2}><title>{`${day(date)}: ${text(amount, measure)}`}</title></rect>
            {isToday && <rect class="today" x={x} y={y} width={SIZE} height={SIZE} rx={2} />}
          </>
        );
      })}
    </svg>
  );
}

/** Return the amounts of the hours of each weekday. */
function ofHours(rows: Usagerow[], measure: Measure): number[][] {
  const sums = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  for (const row of rows) {
    const date = new Date(String(row.keys["hour"]).replace(" ", "T"));
    const line = sums[fromMonday(date)];
    if (line && !Number.isNaN(date.getTime())) line[date.getHours()] = (line[date.getHours()] ?? 0) + amountOf(row, measure);
  }
  return sums;
}

/** The numbers of the calendar. */
export function CalendarTable({ rows, measure }: { rows: Usagerow[]; measure: Measure }) {
  const used = rows.filter((row) => amountOf(row, measure) > 0).reverse();
  return (
    <table>
      <thead><tr><th>Day</th><th class="num">{measure === "cost" ? "Cost" : "Tokens"}</th></tr></thead>
      <tbody>{used.map((row) => <tr key={row.key}><td>{String(row.keys["day"] ?? "without a time")}</td><td class="num">{text(amountOf(row, measure), measure)}</td></tr>)}</tbody>
    </table>
  );
}

/** The numbers of the hours of the week. */
export function HoursTable({ rows, measure }: { rows: Usagerow[]; measure: Measure }) {
  const sums = ofHours(rows, measure);
  return (
    <table>
      <thead><tr><th>Hour</th>{WEEKDAYS.map((name) => <th key={name} class="num">{name}</th>)}</tr></thead>
      <tbody>
        {Array.from({ length: 24 }, (_, hour) => (
          <tr key={hour}><td>{hour}:00</td>{sums.map((line, n) => <td key={n} class="num">{line[hour] ? text(line[hour] ?? 0, measure) : ""}</td>)}</tr>
        ))}
      </tbody>
    </table>
  );
}

export function Hours({ rows, measure, isSmall }: { rows: Usagerow[]; measure: Measure; isSmall: boolean }) {
  const sums = ofHours(rows, measure);
  const step = steps(sums.flat());
  const width = isSmall ? 13.6 : 31.2;
  return (
    <svg viewBox={`0 0 ${30 + 24 * width} 140`} role="img" aria-label="Use by weekday and hour; its table has the same numbers">
      {sums.map((line, weekday) => (
        <>
          <text class="axis" x={0} y={14 + weekday * 17}>{WEEKDAYS[weekday]}</text>
          {line.map((amount, hour) => (
            <rect key={hour} class={`h${step(amount)}`} x={30 + hour * width} y={4 + weekday * 17} width={width - 2.2} height={14} rx={2}><title>{`${WEEKDAYS[weekday]} ${hour}:00, ${text(amount, measure)}`}</title></rect>
          ))}
        </>
      ))}
      {[0, 6, 12, 18].map((hour) => <text key={hour} class="axis" x={30 + hour * width} y={136}>{hour}:00</text>)}
    </svg>
  );
}
