// The dock of narrow screens: where you are, and the way to the outline.
import { Icon } from "../../parts/icon";
import type { Landmark } from "../../types";

interface DockOf {
  prompts: Landmark[];
  here: number;
  isSheet: boolean;
  onGo: (item: Landmark | undefined) => void;
  onOutline: () => void;
}

export function Dock({ prompts, here, isSheet, onGo, onOutline }: DockOf) {
  const current = prompts.findLastIndex((item) => item.n <= here);
  return (
    <div class="dock">
      <span class="at">{prompts.length ? `Prompt ${Math.max(1, current + 1)} of ${prompts.length}` : ""}</span>
      <button class="ib" type="button" aria-label="Previous prompt" onClick={() => onGo(prompts.findLast((item) => item.n < here))}><Icon name="up" /></button>
      <button class="ib" type="button" aria-label="Next prompt" onClick={() => onGo(prompts.find((item) => item.n > here))}><Icon name="down" /></button>
      <button class="btn" type="button" aria-expanded={isSheet} onClick={onOutline}>Outline</button>
    </div>
  );
}
