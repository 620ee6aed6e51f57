// A diff: two columns of numbers, a sign, and words inside lines.
import { useState } from "preact/hooks";
import { grouped } from "../format";
import type { DiffRow } from "./diff";

const CLASSES = { kept: "dl", added: "dl a", removed: "dl d", hunk: "dl h" };
const SIGNS = { kept: "", added: "+", removed: "−", hunk: "" };
const MOST = 600;

function Text({ row }: { row: DiffRow }) {
  if (!row.word || row.word[0] >= row.word[1]) return <span>{row.text}</span>;
  const [start, end] = row.word;
  return <span>{row.text.slice(0, start)}<em>{row.text.slice(start, end)}</em>{row.text.slice(end)}</span>;
}

export function DiffView({ rows, label }: { rows: DiffRow[]; label: string }) {
  const [most, setMost] = useState(MOST);
  return (
    <>
      <div class="diff" tabIndex={0} role="region" aria-label={label}>
        <div>
          {rows.slice(0, most).map((row, n) => (
            <div key={n} class={CLASSES[row.kind]}><i>{row.old ?? ""}</i><i>{row.now ?? ""}</i><u>{SIGNS[row.kind]}</u><Text row={row} /></div>
          ))}
        </div>
      </div>
      {rows.length > most && <div class="more"><button class="link" type="button" onClick={() => setMost(most + 2000)}>{grouped(rows.length - most)} more lines</button></div>}
    </>
  );
}
