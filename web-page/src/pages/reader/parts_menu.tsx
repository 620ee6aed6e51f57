// The kinds of parts that are shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../parts/icon";
import { change } from "../../shell/route";

const KINDS = [["thinking", "Thinking"], ["call", "Calls"], ["result", "Results apart from calls"], ["image", "Images"], ["agents", "Agents"], ["other", "Other records"]] as const;

export function PartsMenu({ hidden }: { hidden: string }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const now = new Set(hidden.split(",").filter(Boolean));
  useEffect(() => {
    const onOutside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", onOutside);
    return () => removeEventListener("pointerdown", onOutside);
  }, []);
  const toggle = (kind: string): void => {
    if (!now.delete(kind)) now.add(kind);
    change({ hide: [...now].join(",") });
  };
  return (
    <div class="menu right" ref={box} onKeyDown={(event) => event.key === "Escape" && isOpen && (event.stopPropagation(), setOpen(false))}>
      <button class="btn" type="button" aria-expanded={isOpen} aria-pressed={now.size > 0} onClick={() => setOpen(!isOpen)}>Parts <Icon name="down" small /></button>
      {isOpen && (
        <div class="pop" role="group" aria-label="Parts">
          {KINDS.map(([kind, label]) => (
            <label key={kind}><input type="checkbox" checked={!now.has(kind)} onChange={() => toggle(kind)} />{label}</label>
          ))}
        </div>
      )}
    </div>
  );
}
