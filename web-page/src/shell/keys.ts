// Keys of the page.  Each part of the page registers its own; the newest wins.
import { useEffect, useRef } from "preact/hooks";

export type KeyMap = Record<string, (event: KeyboardEvent) => void>;

const maps: Array<{ current: KeyMap }> = [];
let before = "";
let at = 0;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function onKey(event: KeyboardEvent): void {
  const isCommand = event.ctrlKey || event.metaKey;
  const name = isCommand ? `Ctrl-${event.key.toLowerCase()}` : event.key;
  if (event.altKey || event.defaultPrevented) return;
  if (isTyping(event.target) && !isCommand && name !== "Escape") return;
  if (document.querySelector("dialog[open]")) return;
  const pair = before === name && event.timeStamp - at < 800 ? `${name} ${name}` : "";
  before = pair ? "" : name;
  at = event.timeStamp;
  for (const map of [...maps].reverse()) {
    const action = (pair && map.current[pair]) || map.current[name];
    if (!action) continue;
    event.preventDefault();
    action(event);
    return;
  }
}

export function listenToKeys(): void {
  addEventListener("keydown", onKey);
}

export function useKeys(map: KeyMap): void {
  const held = useRef(map);
  held.current = map;
  useEffect(() => {
    maps.push(held);
    return () => void maps.splice(maps.indexOf(held), 1);
  }, []);
}
