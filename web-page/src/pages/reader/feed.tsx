// The feed: only the articles near the window are in the page.
import { createContext, type VNode } from "preact";
import { forwardRef } from "preact/compat";
import { useContext, useEffect, useRef } from "preact/hooks";
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua";
import { type Actions, classOf, RowContent } from "./article";
import type { Row } from "./rows";

interface Shown {
  rows: Row[];
  total: number;
  current: string | null;
  target: string | null;
  onFocus: (key: string) => void;
}

const ShownRows = createContext<Shown>({ rows: [], total: 0, current: null, target: null, onFocus: () => undefined });

export const idOf = (row: Row): string | null => (row.kind === "message" ? row.message.id : row.kind === "compaction" ? row.id : row.kind === "agent" ? row.call : null);

interface ItemProps {
  style: Record<string, string>;
  index: number;
  children: VNode;
}

const Item = forwardRef<HTMLElement, ItemProps>(({ style, index, children }, ref) => {
  const { rows, total, current, target, onFocus } = useContext(ShownRows);
  const row = rows[index];
  if (!row) return <article ref={ref} style={style}>{children}</article>;
  const id = idOf(row);
  return (
    <article
      ref={ref} style={style} class={`${classOf(row)}${id !== null && id === target ? " target" : ""}`} data-key={row.key} data-n={row.n} data-message={id ?? undefined}
      aria-posinset={row.n + 1} aria-setsize={total} tabIndex={row.key === current ? 0 : -1} onFocus={() => onFocus(row.key)}
    >
      {children}
    </article>
  );
});

// virtua lets the mouse through while the page scrolls; a click just after it would be lost.
const Container = forwardRef<HTMLDivElement, { style: Record<string, string>; children: VNode }>(({ style, children }, ref) => (
  <div ref={ref} style={{ ...style, pointerEvents: "auto" }} class="feed" role="feed" aria-label="Messages">{children}</div>
));

interface FeedOfRows extends Shown {
  actions: Actions;
  isShifted: boolean;
  handle: { current: WindowVirtualizerHandle | null };
  onScroll: () => void;
}

export function Feed({ actions, isShifted, handle, onScroll, ...shown }: FeedOfRows) {
  const held = useRef<WindowVirtualizerHandle>(null);
  useEffect(() => {
    handle.current = held.current;
  });
  return (
    <ShownRows.Provider value={shown}>
      <WindowVirtualizer ref={held} data={shown.rows} shift={isShifted} bufferSize={500} as={Container as never} item={Item as never} onScroll={onScroll}>
        {(row: Row) => <RowContent key={row.key} row={row} actions={actions} />}
      </WindowVirtualizer>
    </ShownRows.Provider>
  );
}
