// Chips that filter, menus of choices with counts, and segments of two to five choices.
import { useEffect, useRef, useState } from "preact/hooks";
import { grouped } from "../format";
import { Icon } from "./icon";

export interface Choice {
  value: string;
  label: string;
  count?: number | null;
}

interface FlagChip {
  label: string;
  count?: number;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

export function Chip({ label, count, isOn, onChange }: FlagChip) {
  return (
    <button class="chip" type="button" aria-pressed={isOn} disabled={!isOn && count === 0} onClick={() => onChange(!isOn)}>
      {label}
      {count !== undefined && !isOn && <span class="n">{grouped(count)}</span>}
      {isOn && <Icon name="x" small />}
    </button>
  );
}

interface MenuChip {
  label: string;
  choices: Choice[];
  value: string | null;
  onChange: (value: string | null) => void;
}

/** A chip that opens a menu; above ten entries the menu has a field that filters them. */
export function Menu({ label, choices, value, onChange }: MenuChip) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const onOutside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", onOutside);
    return () => removeEventListener("pointerdown", onOutside);
  }, [isOpen]);
  const chosen = choices.find((choice) => choice.value === value);
  const onClick = (): void => (value === null ? setOpen(!isOpen) : onChange(null));
  return (
    <div class="menu" ref={box} onKeyDown={(event) => isOpen && event.key === "Escape" && (event.preventDefault(), event.stopPropagation(), close())}>
      <button class="chip" type="button" ref={opener} aria-pressed={value !== null} aria-expanded={isOpen} disabled={value === null && choices.length === 0} onClick={onClick}>
        {value === null ? label : (chosen?.label ?? value)}
        <Icon name={value === null ? "down" : "x"} small />
      </button>
      {isOpen && <Choices label={label} choices={choices} onChoose={(one) => (onChange(one), close())} />}
    </div>
  );
}

function Choices({ label, choices, onChoose }: { label: string; choices: Choice[]; onChoose: (value: string) => void }) {
  const [typed, setTyped] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const shown = choices.filter((choice) => choice.label.toLowerCase().includes(typed.toLowerCase())).slice(0, 200);
  useEffect(() => list.current?.querySelector<HTMLElement>("input, button")?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...(list.current?.querySelectorAll<HTMLElement>("input, button") ?? [])];
    all[all.indexOf(document.activeElement as HTMLElement) + step]?.focus();
  };
  return (
    <div class="pop" ref={list} role="group" aria-label={label} onKeyDown={onKeyDown}>
      {choices.length > 10 && <input type="search" aria-label={`Filter ${label}`} placeholder="Filter" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />}
      {shown.map((choice) => (
        <button type="button" key={choice.value} onClick={() => onChoose(choice.value)}>
          <span class="cut">{choice.label}</span>
          {choice.count !== undefined && choice.count !== null && <span class="q num">{grouped(choice.count)}</span>}
        </button>
      ))}
    </div>
  );
}

interface Segments {
  label: string;
  choices: Choice[];
  value: string;
  onChange: (value: string) => void;
}

export function Segment({ label, choices, value, onChange }: Segments) {
  return (
    <span class="seg" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button type="button" key={choice.value} aria-pressed={choice.value === value} onClick={() => onChange(choice.value)}>
          {choice.label}
        </button>
      ))}
    </span>
  );
}
