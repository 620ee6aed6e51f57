// Numbers and times as people read them: one unit per column, nothing where nothing is known.
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY = 86_400_000;

const two = (number: number): string => String(number).padStart(2, "0");
export const grouped = (number: number): string => number.toLocaleString("en-US");

export function dollars(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "";
  if (cost > 0 && cost < 0.005) return "<$0.01";
  return `$${cost.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

export function bytes(size: number | null | undefined): string {
  if (size === null || size === undefined) return "";
  if (size < 1000) return `${size} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = size / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function tokens(count: number | null | undefined): string {
  if (count === null || count === undefined) return "";
  if (count < 10_000) return grouped(count);
  if (count < 999_500) return `${Math.round(count / 1000)} k`;
  return `${(count / 1e6).toFixed(count < 9.95e6 ? 2 : count < 99.5e6 ? 1 : 0)} M`;
}

export const count = (number: number, word: string): string => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;

/** Return a note of the server as a sentence: without the quotes around commands, and no point after one. */
export function sentence(note: string): string {
  const text = note.replaceAll("`", "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!`]$/.test(note) ? "" : "."}`;
}

export const moment = (time: string | null | undefined): Date | null => (time ? new Date(time) : null);
export const clock = (date: Date | null): string => (date ? `${two(date.getHours())}:${two(date.getMinutes())}` : "");
export const clockSeconds = (date: Date | null): string => (date ? `${clock(date)}:${two(date.getSeconds())}` : "");
export const dayKey = (date: Date): string => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
export const month = (date: Date): string => MONTHS[date.getMonth()] ?? "";
export const weekday = (date: Date): string => DAYS[date.getDay()] ?? "";

/** Return an id that is short enough for a column; all ids of cloud sessions begin with one word. */
export const shortId = (id: string): string => id.slice(0, id.startsWith("session_") ? 12 : 8);

/** Return a day; the year only where it is not the present one. */
export function day(date: Date, now = new Date()): string {
  const text = `${date.getDate()} ${month(date)}`;
  return date.getFullYear() === now.getFullYear() ? text : `${text} ${date.getFullYear()}`;
}

/** Return how far a day lies back: Today, Yesterday, a weekday, or the empty text. */
export function nearDay(date: Date, now = new Date()): string {
  const back = Math.round((Date.parse(dayKey(now)) - Date.parse(dayKey(date))) / DAY);
  if (back === 0) return "Today";
  if (back === 1) return "Yesterday";
  return weekday(date);
}

export function dayAndClock(time: string | null | undefined): string {
  const date = moment(time);
  return date ? `${day(date)}, ${clock(date)}` : "";
}

/** Return the time left until an expiry within seven days. */
export function expiry(time: string | null | undefined, now = Date.now()): string {
  const date = moment(time);
  if (!date) return "";
  const left = (date.getTime() - now) / DAY;
  if (left > 7) return "";
  if (left <= 0) return "due";
  return left < 1 ? `${Math.max(1, Math.round(left * 24))} h left` : `${Math.floor(left)} d left`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (value < 99.5) return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} s`;
  if (value < 5940) return `${Math.round(value / 60)} min`;
  return `${(value / 3600).toFixed(1)} h`;
}

/** Return the last name of a path. */
export const baseName = (path: string | null | undefined): string => path?.replace(/[\\/]+$/, "").split(/[\\/]/).pop() ?? "";

/** Return a model without its family and its date: `opus-5` for `claude-opus-5-20260101`. */
export const modelName = (model: string | null | undefined): string => (model ?? "").replace(/^claude-/, "").replace(/-\d{8}$/, "");
