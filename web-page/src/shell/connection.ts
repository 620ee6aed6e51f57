// True as long as the last request reached the server.
import { useEffect, useState } from "preact/hooks";

let reached = true;
let since = new Date();
const listeners = new Set<() => void>();

export function noteReached(value: boolean): void {
  if (value) since = new Date();
  if (value === reached) return;
  reached = value;
  for (const listener of listeners) listener();
}

/** Return null while the server answers, else the time of its last answer. */
export function useLost(): Date | null {
  const [, setTurn] = useState(0);
  useEffect(() => {
    const listener = (): void => setTurn((turn) => turn + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return reached ? null : since;
}
