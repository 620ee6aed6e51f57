// New messages and sessions as they are written; listens only while the page is in view.
import { useEffect, useRef } from "preact/hooks";
import { address } from "../api";
import type { Message } from "../types";

interface Listener {
  onMessage?: (message: Message) => void;
  onSessions?: () => void;
  /** From now on every message is told; those before may have been missed. */
  onOpen?: () => void;
}

export function useWatch(session: string | null, listener: Listener, isOn = true): void {
  const held = useRef(listener);
  held.current = listener;
  useEffect(() => {
    if (!isOn) return undefined;
    let source: EventSource | null = null;
    const open = (): void => {
      source = new EventSource(address("watch", { session }));
      source.addEventListener("open", () => held.current.onOpen?.());
      source.addEventListener("message", (event) => held.current.onMessage?.(JSON.parse(event.data as string) as Message));
      source.addEventListener("sessions", () => held.current.onSessions?.());
    };
    const close = (): void => {
      source?.close();
      source = null;
    };
    const onVisible = (): void => {
      if (document.hidden) close();
      else if (!source) open();
    };
    if (!document.hidden) open();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      close();
    };
  }, [session, isOn]);
}
