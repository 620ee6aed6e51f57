// A text with its matches marked.
import type { VNode } from "preact";

export function Marked({ text, marks }: { text: string; marks: number[][] }) {
  const characters = [...text];
  const pieces: Array<string | VNode> = [];
  let at = 0;
  for (const [start = 0, end = 0] of marks) {
    if (start < at || end <= start) continue;
    pieces.push(characters.slice(at, start).join(""), <mark key={start}>{characters.slice(start, end).join("")}</mark>);
    at = end;
  }
  return <>{pieces}{characters.slice(at).join("")}</>;
}
