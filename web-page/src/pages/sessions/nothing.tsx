// The list of a disk without sessions: the places that were read, and the next step.
import { useAnswer } from "../../api";
import { Command } from "../../parts/copy";
import { State } from "../../parts/state";
import type { StoresAnswer } from "../../types";

export function Nothing() {
  const looked = useAnswer<StoresAnswer>("/api/stores").data?.looked ?? [];
  return (
    <State title="No sessions found" steps={<><Command text="backscroll --root DIR web" /><Command text="backscroll demo DIR" /></>}>
      <p>Claude has left nothing here yet, or it lies elsewhere. These places were read:</p>
      <ul class="where">{looked.slice(0, 8).map((one, n) => <li key={n}>{String((one as { path?: unknown }).path ?? one)}</li>)}</ul>
    </State>
  );
}
