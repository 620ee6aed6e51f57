// A unified diff as lines with numbers, and the words that differ inside a pair of lines.
export interface DiffRow {
  kind: "kept" | "added" | "removed" | "hunk";
  old: number | null;
  now: number | null;
  text: string;
  /** The part of the text that differs from its partner: start and end. */
  word?: [number, number];
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/;

/** Mark the middle of two lines that differ, if they share enough of their ends. */
function pair(removed: DiffRow, added: DiffRow): void {
  const [a, b] = [removed.text, added.text];
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < least - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  if (least === 0 || start + end < least * 0.3) return;
  removed.word = [start, a.length - end];
  added.word = [start, b.length - end];
}

function markWords(rows: DiffRow[]): void {
  let at = 0;
  while (at < rows.length) {
    const removed: DiffRow[] = [];
    const added: DiffRow[] = [];
    for (; rows[at]?.kind === "removed"; at += 1) removed.push(rows[at] as DiffRow);
    for (; rows[at]?.kind === "added"; at += 1) added.push(rows[at] as DiffRow);
    if (removed.length === added.length) removed.forEach((one, n) => pair(one, added[n] as DiffRow));
    if (!removed.length && !added.length) at += 1;
  }
}

export function diffRows(unified: string): DiffRow[] {
  const rows: DiffRow[] = [];
  let [old, now] = [0, 0];
  let isInside = false;
  for (const line of unified.split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      [old, now, isInside] = [Number(hunk[1]), Number(hunk[2]), true];
      rows.push({ kind: "hunk", old: null, now: null, text: hunk[3] || `line ${now}` });
      continue;
    }
    if (!isInside || line === "") continue;
    const text = line.slice(1);
    if (line.startsWith("+")) rows.push({ kind: "added", old: null, now: now++, text });
    else if (line.startsWith("-")) rows.push({ kind: "removed", old: old++, now: null, text });
    else if (line.startsWith(" ")) rows.push({ kind: "kept", old: old++, now: now++, text });
    else rows.push({ kind: "hunk", old: null, now: null, text: line.replace(/^\\ /, "") });
  }
  markWords(rows);
  return rows;
}
