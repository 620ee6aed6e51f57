// Files: every version of every file, any two of them as a diff.
import { useEffect, useMemo } from "preact/hooks";
import { address, useAnswer } from "../../api";
import { baseName, count, dayAndClock, shortId } from "../../format";
import { Failed, Loading, State } from "../../parts/state";
import { useKeys } from "../../shell/keys";
import { change, href, type Route } from "../../shell/route";
import type { ListAnswer, RecoverAnswer, RecoverVersionAnswer } from "../../types";
import { Browse, GrepBox, Matches } from "./browse";
import { Compare } from "./compare";
import { VersionList } from "./list";
import { Legend, Timeline } from "./timeline";
import { inOrder, inRuns, type ShownVersion } from "./versions";

function useTitles(): (session: string | null) => string {
  const found = useAnswer<ListAnswer>(address("list", { limit: 500 }));
  const titles = useMemo(() => new Map((found.data?.sessions ?? []).map((one) => [one.id, one.title])), [found.data]);
  return (session) => (session ? (titles.get(session) ?? shortId(session)) : "");
}

function Facts({ all }: { all: ShownVersion[] }) {
  const real = all.filter((one) => !one.isCandidate);
  const sessions = new Set(real.map((one) => one.session).filter(Boolean)).size;
  const agents = new Set(real.map((one) => one.agent).filter(Boolean)).size;
  const outside = real.filter((one) => one.outside).length;
  const never = all.length - real.length;
  return (
    <div class="facts">
      <span><b>{real.length}</b> {real.length === 1 ? "version" : "versions"}</span>
      <span><b>{sessions}</b> {sessions === 1 ? "session" : "sessions"}{agents ? `, ${count(agents, "agent")}` : ""}</span>
      <span>{dayAndClock(real[0]?.time)} – {dayAndClock(real.at(-1)?.time)}</span>
      {outside > 0 && <span class="warn">{outside} changed outside</span>}
      {never > 0 && <span class="q">{count(never, "edit")} never reached the disk</span>}
      {real.at(-1)?.deleted && <span class="bad">deleted</span>}
    </div>
  );
}

function OneFile({ path, params }: { path: string; params: URLSearchParams }) {
  const { data, error } = useAnswer<RecoverAnswer>(address("recover", { path }));
  const message = params.get("message");
  const here = useAnswer<RecoverVersionAnswer>(message ? address("recover", { path, message }) : null);
  const titleOf = useTitles();
  const all = useMemo(() => inOrder(data?.versions ?? [], data?.candidates ?? []), [data]);
  const runs = useMemo(() => inRuns(all), [all]);
  const real = all.filter((one) => !one.isCandidate);
  const numbers = real.map((one) => one.n);
  const b = Number(params.get("b")) || here.data?.version.n || numbers.at(-1) || null;
  const a = Number(params.get("a")) || numbers[numbers.indexOf(b ?? 0) - 1] || null;
  const shown = real.find((one) => one.n === b);
  const move = (step: number): void => {
    const next = numbers[numbers.indexOf(b ?? 0) + step];
    if (next !== undefined) change({ b: String(next), message: null });
  };
  useKeys({ j: () => move(-1), k: () => move(1), "g g": () => change({ b: String(numbers.at(-1)), message: null }), G: () => change({ b: String(numbers[0]), message: null }) });
  useEffect(() => void (document.title = `${baseName(path)} · backscroll`), [path]);
  const folder = path.slice(0, path.length - baseName(path).length);
  const grep = params.get("grep") ?? "";
  return (
    <>
      <div class="head">
        <div class="crumbs"><h1>{baseName(path)}</h1><span>{folder}</span></div>
        <span class="end keep"><GrepBox value={grep} label="In all versions" /><a class="link" href={address("recover", { path })}>JSON</a></span>
      </div>
      {error && <Failed error={error} />}
      {!data && !error && <Loading />}
      {data && all.length === 0 && <State title="No version of this file is left" steps={<a class="btn main" href="/files">All files</a>} />}
      {grep && <Matches text={grep} match={path} />}
      {data && all.length > 0 && !grep && (
        <>
          <Facts all={all} />
          {here.data && <p class="note">This is the file as it was at the message that you came from. <button class="link" type="button" onClick={() => change({ message: null })}>Latest version</button></p>}
          <Timeline versions={all} titleOf={titleOf} a={a} b={b} />
          <Legend versions={all} />
          {data.related.length > 0 && <p class="note">The same file in other worktrees: {data.related.map((one) => <a key={one} class="link" href={href("/files", { path: one })}>{one} </a>)}</p>}
          {data.lost.length > 0 && <p class="note warn">{count(data.lost.length, "piece")} of evidence is named but gone.</p>}
          <div class="split">
            <VersionList runs={runs} titleOf={titleOf} a={a} b={b} />
            {shown && <Compare path={path} a={a} b={shown} isWhole={params.has("whole") || a === null} />}
          </div>
        </>
      )}
    </>
  );
}

export function Files({ route }: { route: Route }) {
  const path = route.params.get("path");
  useEffect(() => {
    if (!path) document.title = "Files · backscroll";
  }, [path]);
  return (
    <div class="view">
      <div class="narrow w">
        {path ? <OneFile path={path} params={route.params} /> : (
          <>
            <div class="head"><h1>Files</h1><span class="q">{route.params.get("message") ? "as they were at a message" : "that sessions read, wrote or edited"}</span><span class="end keep"><a class="link" href="/api/files?all=1">JSON</a></span></div>
            <Browse params={route.params} session={route.params.get("session")} />
          </>
        )}
      </div>
    </div>
  );
}
