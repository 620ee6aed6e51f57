// Matches over time: a click narrows to a bar, a drag to a range; the arrow keys move the ends.
import { useRef, useState } from "preact/hooks";
import { dayKey, month } from "../../format";
import type { Day } from "../../types";

const HEIGHT = 56;
const DAY = 86_400_000;

export interface Span {
  since: string;
  until: string;
}

interface Bin {
  start: number;
  end: number;
  hits: number;
}

const startOf = (day: string): number => new Date(`${day}T00:00:00`).getTime();

/** Return bins of equal length from the first day with a match to today. */
export function bins(counts: Day[], most: number, now = Date.now()): Bin[] {
  if (!counts.length) return [];
  const today = startOf(dayKey(new Date(now)));
  const first = Math.min(today - 59 * DAY, ...counts.map((one) => startOf(one.day)));
  const days = Math.max(60, Math.round((today - first) / DAY) + 1);
  const size = Math.ceil(days / most);
  const found = Array.from({ length: Math.ceil(days / size) }, (_, n) => ({ start: first + n * size * DAY, end: first + (n + 1) * size * DAY, hits: 0 }));
  for (const one of counts) {
    const bin = found[Math.min(found.length - 1, Math.round((startOf(one.day) - first) / DAY / size - 0.499))];
    if (bin) bin.hits += one.hits;
  }
  return found;
}

const spanOf = (from: Bin, to: Bin): Span => ({ since: dayKey(new Date(from.start + DAY / 2)), until: dayKey(new Date(to.end - DAY / 2)) });

function Axis({ all, width }: { all: Bin[]; width: number }) {
  let last = "";
  let lastX = -100;
  return (
    <>
      {all.map((bin, n) => {
        const date = new Date(bin.start + DAY / 2);
        const name = `${date.getFullYear()}-${date.getMonth()}`;
        const x = n * width;
        if (name === last || x - lastX < 64) return null;
        const isYear = last === "" || !last.startsWith(String(date.getFullYear()));
        last = name;
        lastX = x;
        return <text key={n} class="axis" x={x + 1} y={HEIGHT + 15}>{month(date)}{isYear ? ` ${date.getFullYear()}` : ""}</text>;
      })}
    </>
  );
}

interface HistogramOf {
  counts: Day[];
  span: Partial<Span>;
  isSmall: boolean;
  onSpan: (span: Span | null) => void;
}

export function Histogram({ counts, span, isSmall, onSpan }: HistogramOf) {
  const all = bins(counts, isSmall ? 36 : 80);
  const total = isSmall ? 358 : 1120;
  const width = total / Math.max(1, all.length);
  const tallest = Math.max(1, ...all.map((bin) => bin.hits));
  const drag = useRef<number | null>(null);
  const [over, setOver] = useState<[number, number] | null>(null);
  const [end, setEnd] = useState<"since" | "until">("until");
  const box = useRef<SVGSVGElement>(null);
  const isIn = (bin: Bin): boolean => (!span.since || bin.end > startOf(span.since)) && (!span.until || bin.start <= startOf(span.until));
  const first = all.findIndex(isIn);
  const last = all.findLastIndex(isIn);
  const isNarrowed = Boolean(span.since || span.until);
  const at = (event: PointerEvent): number => {
    const { left, width: shown } = (box.current as SVGSVGElement).getBoundingClientRect();
    return Math.max(0, Math.min(all.length - 1, Math.floor(((event.clientX - left) / shown) * all.length)));
  };
  const choose = (from: number, to: number): void => {
    const [low, high] = [all[Math.min(from, to)], all[Math.max(from, to)]];
    if (low && high) onSpan(spanOf(low, high));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") return onSpan(null);
    if (event.key === "ArrowUp" || event.key === "ArrowDown") setEnd(end === "since" ? "until" : "since");
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const [low, high] = [Math.max(0, first), last < 0 ? all.length - 1 : last];
    if (end === "since") choose(Math.min(high, Math.max(0, low + step)), high);
    else choose(low, Math.max(low, Math.min(all.length - 1, high + step)));
  };
  const [low, high] = over ?? [first, last];
  return (
    <div class="histo" role="group" tabIndex={0} aria-label="Matches over time. Left and right move one end, up and down choose the end, Escape shows all time." onKeyDown={onKeyDown}>
      <svg
        ref={box} viewBox={`0 0 ${total} 74`} role="img" aria-label={`Matches over time, ${counts.length} days with matches`}
        onPointerDown={(event) => ((drag.current = at(event)), setOver([drag.current, drag.current]))}
        onPointerMove={(event) => drag.current !== null && setOver([Math.min(drag.current, at(event)), Math.max(drag.current, at(event))])}
        onPointerUp={(event) => (drag.current !== null && choose(drag.current, at(event)), (drag.current = null), setOver(null))}
      >
        {(isNarrowed || over) && low >= 0 && <rect class="brush" x={low * width} y={0} width={(high - low + 1) * width} height={HEIGHT} />}
        {all.map((bin, n) => bin.hits > 0 && (
          <rect key={n} class={isIn(bin) ? "hb in" : "hb"} x={n * width + 1} width={Math.max(1, width - 2)} y={HEIGHT - Math.max(2, (bin.hits / tallest) * (HEIGHT - 4))} height={Math.max(2, (bin.hits / tallest) * (HEIGHT - 4))}>
            <title>{`${dayKey(new Date(bin.start + DAY / 2))}: ${bin.hits}`}</title>
          </rect>
        ))}
        <path class="gridl" d={`M0 ${HEIGHT + 0.5}H${total}`} />
        {isNarrowed && low >= 0 && <path class="brushl" d={`M${low * width} 0V${HEIGHT}M${(high + 1) * width} 0V${HEIGHT}`} />}
        <Axis all={all} width={width} />
      </svg>
    </div>
  );
}
