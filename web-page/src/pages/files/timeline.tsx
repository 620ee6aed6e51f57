// All versions on a line of time; gaps of more than a day are cut.
import { clock, dayKey, day, moment } from "../../format";
import { type Shape, shapeOf, type ShownVersion } from "./versions";

const LEAST = 56;
const MOST = 190;
const DAY = 86_400_000;

interface Point {
  version: ShownVersion;
  x: number;
  isCut: boolean;
}

/** Place versions: further apart where more time passed, within limits. */
export function points(versions: ShownVersion[]): { all: Point[]; width: number } {
  let x = 60;
  const all = versions.map((version, n) => {
    const [before, now] = [moment(versions[n - 1]?.time), moment(version.time)];
    const gap = before && now ? now.getTime() - before.getTime() : 0;
    if (n > 0) x += Math.min(MOST, LEAST + Math.sqrt(Math.max(0, gap) / 60_000) * 9);
    return { version, x, isCut: gap > DAY };
  });
  return { all, width: Math.max(720, x + 70) };
}

export function Shaped({ shape, x, y, isOn }: { shape: Shape; x: number; y: number; isOn: boolean }) {
  const on = isOn ? " sel" : "";
  if (shape === "outside") return <path class={`v${on}`} d={`M${x} ${y - 7}l7 7-7 7-7-7Z`} />;
  if (shape === "gone") return <><circle cx={x} cy={y} r={7} class="under" /><path class={`v gone${on}`} d={`M${x - 5} ${y - 5}l10 10m0-10-10 10`} /></>;
  return <circle class={`v${shape === "exact" ? " x" : ""}${shape === "never" ? " dash" : ""}${on}`} cx={x} cy={y} r={5.5} />;
}

function label(version: ShownVersion, before: ShownVersion | undefined): string {
  const [now, last] = [moment(version.time), moment(before?.time)];
  if (!now) return "";
  return last && dayKey(last) === dayKey(now) ? clock(now) : `${day(now)} ${clock(now)}`;
}

/** Return the runs of versions that one session, or one agent, made; changes outside stand between. */
function brackets(versions: ShownVersion[]): ShownVersion[][] {
  const runs: ShownVersion[][] = [];
  for (const one of versions.filter((version) => version.session && !version.outside)) {
    const last = runs.at(-1);
    if (last?.[0]?.session === one.session && last?.[0]?.agent === one.agent) last?.push(one);
    else runs.push([one]);
  }
  return runs;
}

interface TimelineOf {
  versions: ShownVersion[];
  titleOf: (session: string | null) => string;
  a: number | null;
  b: number | null;
}

export function Timeline({ versions, titleOf, a, b }: TimelineOf) {
  const { all, width } = points(versions);
  const xOf = (version: ShownVersion | undefined): number => all.find((point) => point.version === version)?.x ?? 0;
  const named = (n: number | null): Point | undefined => all.find((point) => !point.version.isCandidate && point.version.n === n);
  const [from, to] = [named(a), named(b)];
  return (
    <div class="tl" tabIndex={0} role="region" aria-label="Versions over time">
      <svg viewBox={`0 0 ${width} 90`} width={width} height={90} role="img" aria-label={`${versions.length} versions; the list below has the same`}>
        {from && to && <rect class="band" x={Math.min(from.x, to.x)} y={28} width={Math.abs(to.x - from.x)} height={32} rx={6} />}
        <path class="base" d={`M8 44H${width - 8}`} />
        {all.filter((point) => point.isCut).map((point) => <path key={point.x} class="break" d={`M${point.x - 32} 38l-4 12m12-12-4 12`} />)}
        {brackets(versions).map((run, n) => {
          const [start, end] = [xOf(run[0]) - 16, xOf(run.at(-1)) + 16];
          const title = run[0]?.agent ? "its agent" : titleOf(run[0]?.session ?? null);
          const room = Math.max(6, Math.floor((end - start + 24) / 6));
          return <g key={n}><path class="base" d={`M${start} 20V16H${end}V20`} fill="none" /><text class="lab" x={(start + end) / 2} y={10} text-anchor="middle">{title.length > room ? `${title.slice(0, room)}…` : title}</text></g>;
        })}
        {all.map(({ version, x }, n) => {
          const isOn = !version.isCandidate && (version.n === a || version.n === b);
          const name = version.isCandidate ? "" : `${version.n === a && a !== b ? "A " : version.n === b ? "B " : ""}${version.n}`;
          return (
            <g key={n}>
              <Shaped shape={shapeOf(version)} x={x} y={44} isOn={isOn} />
              <text class={isOn ? "lab acc" : "lab"} x={x} y={68} text-anchor="middle">{name}</text>
              <text class="lab" x={x} y={84} text-anchor="middle">{label(version, versions[n - 1])}</text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

const LEGEND: Array<[Shape, string]> = [["exact", "exact bytes"], ["derived", "derived from edits"], ["outside", "changed outside"], ["never", "never written"], ["gone", "deleted"]];

export function Legend({ versions }: { versions: ShownVersion[] }) {
  const found = new Set(versions.map(shapeOf));
  return (
    <div class="legend">
      {LEGEND.filter(([shape]) => found.has(shape)).map(([shape, name]) => (
        <span key={shape}><svg class="tlkey" viewBox="0 0 16 16" aria-hidden="true"><Shaped shape={shape} x={8} y={8} isOn={false} /></svg>{name}</span>
      ))}
    </div>
  );
}
