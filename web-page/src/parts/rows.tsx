// A window of rows with known heights, in groups with heads that stay in view.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Group<T> {
  key: string;
  head: ComponentChildren;
  rows: T[];
}

interface Heights {
  row: number;
  head: number;
}

interface WindowOfRows<T> {
  groups: Group<T>[];
  heights: Heights;
  /** The row that j and k moved to, counted over all groups. */
  current: number;
  render: (row: T, index: number) => ComponentChildren;
}

interface Placed<T> extends Group<T> {
  top: number;
  first: number;
  height: number;
}

function placed<T>(groups: Group<T>[], heights: Heights): { all: Placed<T>[]; height: number } {
  let top = 0;
  let first = 0;
  const all = groups.map((group) => {
    const height = (group.head ? heights.head : 0) + group.rows.length * heights.row;
    const one = { ...group, top, first, height };
    top += height;
    first += group.rows.length;
    return one;
  });
  return { all, height: top };
}

const OVERSCAN = 400;

/** Return the part of an element that the window shows, with some pixels more on both sides. */
function useShown(box: { current: HTMLElement | null }): [number, number] {
  const [shown, setShown] = useState<[number, number]>([0, 2 * OVERSCAN + 900]);
  useLayoutEffect(() => {
    const measure = (): void => {
      const top = box.current?.getBoundingClientRect().top ?? 0;
      const from = Math.floor((-top - OVERSCAN) / 100) * 100;
      const to = from + Math.ceil((innerHeight + 2 * OVERSCAN) / 100) * 100 + 100;
      setShown((before) => (before[0] === from && before[1] === to ? before : [from, to]));
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, []);
  return shown;
}

export function Rows<T>({ groups, heights, current, render }: WindowOfRows<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [from, to] = useShown(box);
  const { all, height } = placed(groups, heights);
  useEffect(() => {
    if (current < 0 || !box.current) return;
    const group = all.findLast((one) => one.first <= current);
    if (!group) return;
    const top = group.top + (group.head ? heights.head : 0) + (current - group.first) * heights.row;
    const base = box.current.getBoundingClientRect().top + scrollY;
    const low = base + top - 48 - heights.head - 8;
    const high = base + top + heights.row - innerHeight + 8;
    if (scrollY > low) scrollTo(0, low);
    else if (scrollY < high) scrollTo(0, high);
  }, [current]);
  return (
    <div class="rows" ref={box} style={{ height: `${height}px` }}>
      {all.filter((one) => one.top < to && one.top + one.height > from).map((group) => (
        <RowsOfGroup key={group.key} group={group} heights={heights} from={from - group.top} to={to - group.top} render={render} />
      ))}
    </div>
  );
}

interface OfGroup<T> {
  group: Placed<T>;
  heights: Heights;
  from: number;
  to: number;
  render: (row: T, index: number) => ComponentChildren;
}

function RowsOfGroup<T>({ group, heights, from, to, render }: OfGroup<T>) {
  const head = group.head ? heights.head : 0;
  const start = Math.max(0, Math.floor((from - head) / heights.row));
  const end = Math.min(group.rows.length, Math.ceil((to - head) / heights.row));
  return (
    <section class="group" style={{ top: `${group.top}px`, height: `${group.height}px` }}>
      {group.head}
      <div style={{ height: `${start * heights.row}px` }} />
      {group.rows.slice(start, end).map((row, n) => render(row, group.first + start + n))}
    </section>
  );
}
