// The dialog that shows all keys.
import { useEffect, useRef } from "preact/hooks";

const KEYS = [
  ["/", "search everything"],
  ["Ctrl K", "search everything"],
  ["j k", "next, previous"],
  ["↵", "open"],
  ["n p", "next, previous prompt"],
  ["[ ]", "previous, next session"],
  ["b", "next branch"],
  ["t", "tree of the session"],
  ["f", "files of the session"],
  ["y", "copy the resume command"],
  ["g g", "first"],
  ["G", "last"],
  ["Esc", "close, go back"],
  ["?", "these keys"],
] as const;

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => before?.focus();
  }, []);
  return (
    <dialog ref={dialog} class="keysheet" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <dl>
        {KEYS.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button class="btn" type="button" onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
