// Bars by day and model.  Screen readers get the table below instead.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { day, dollars, tokens } from "../../format";
import type { DayOfUse, Measure, Series } from "./series";

/** Return the colour of a token as the browser computes it now. */
function colour(box: HTMLElement, token: string): string {
  const probe = document.createElement("i");
  probe.className = token;
  box.append(probe);
  const found = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return found;
}

function useTheme(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const again = (): void => setTurn((now) => now + 1);
    const media = matchMedia("(prefers-color-scheme: dark)");
    addEventListener("backscroll-theme", again);
    media.addEventListener("change", again);
    return () => {
      removeEventListener("backscroll-theme", again);
      media.removeEventListener("change", again);
    };
  }, []);
  return turn;
}

/** Return sums from the bottom up, the tallest first, so that each bar covers the one behind it. */
function stacked(all: DayOfUse[], size: number): uPlot.AlignedData {
  const xs = all.map((_, n) => n);
  const sums = Array.from({ length: size }, (_, n) => all.map((one) => one.parts.slice(0, size - n).reduce((sum, part) => sum + part, 0)));
  return [xs, ...sums] as uPlot.AlignedData;
}

interface ChartOf {
  all: DayOfUse[];
  series: Series;
  measure: Measure;
}

const shown = (amount: number, measure: Measure): string => (measure === "cost" ? dollars(amount) : tokens(Math.round(amount)));
const atNoon = (text: string): Date => new Date(`${text}T12:00:00`);

function options(box: HTMLElement, { all, series, measure }: ChartOf, onCursor: (n: number | null) => void): uPlot.Options {
  const ink = colour(box, "ink");
  const grid = colour(box, "gridline");
  const bars = uPlot.paths.bars?.({ size: [0.82, 46], align: 0 });
  const axis = { stroke: ink, font: '11px "Liberation Sans", sans-serif', ticks: { show: false } };
  return {
    width: box.clientWidth,
    height: 230,
    legend: { show: false },
    padding: [8, 0, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false, range: [-0.6, all.length - 0.4] }, y: { range: (_self, _min, max) => [0, max || 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 24, space: 60, splits: (self) => ticks(all.length, self.width), values: (_self, at) => at.map((n) => (all[n] ? day(atNoon(all[n].day)) : "")) },
      { ...axis, size: 52, grid: { stroke: grid, width: 1 }, space: 42, values: (_self, at) => at.map((value) => (measure === "cost" ? (value ? `$${value < 1 ? value.toFixed(2) : value}` : "0") : tokens(value))) },
    ],
    series: [{}, ...series.names.map((_, n) => ({ fill: colour(box, `s${series.names.length - n}`), width: 0, points: { show: false }, ...(bars ? { paths: bars } : {}) }))],
    hooks: { setCursor: [(self) => onCursor(self.cursor.idx ?? null)] },
  };
}

function ticks(size: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(size / Math.max(2, Math.floor(width / 90))));
  return Array.from({ length: Math.ceil(size / step) }, (_, n) => n * step);
}

export function Chart(props: ChartOf) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const turn = useTheme();
  const { all, series, measure } = props;
  useEffect(() => {
    if (!box.current) return undefined;
    const one = box.current;
    const plot = new uPlot(options(one, props, setAt), stacked(all, series.names.length), one);
    const watch = new ResizeObserver(() => plot.setSize({ width: one.clientWidth, height: 230 }));
    watch.observe(one);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [all, series, measure, turn]);
  const over = at === null ? undefined : all[at];
  return (
    <div class="plot" aria-hidden="true">
      <div ref={box} class="chart" />
      {over && over.total > 0 && (
        <div class="tip">
          <b>{day(atNoon(over.day))}</b>
          {series.names.map((name, n) => (over.parts[n] ?? 0) > 0 && <span key={name}><i class={`sw s${n + 1}`} />{name} {shown(over.parts[n] ?? 0, measure)}</span>)}
          <span>{shown(over.total, measure)} in all</span>
        </div>
      )}
    </div>
  );
}
