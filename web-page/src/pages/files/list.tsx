// The versions of a file, grouped by session; two of them are compared.
import { clockSeconds, day, grouped, moment } from "../../format";
import { change, sessionHref } from "../../shell/route";
import { howText, shapeOf, type ShownVersion, sureText, type VersionGroup } from "./versions";

interface Choosing {
  a: number | null;
  b: number | null;
}

function Radio({ name, version, isOn }: { name: "a" | "b"; version: number; isOn: boolean }) {
  const letter = name.toUpperCase();
  return (
    <button type="button" class={isOn ? "ab on" : "ab"} aria-pressed={isOn} aria-label={`Compare version ${version} as ${letter}`} onClick={() => change({ [name]: String(version), message: null })}>{isOn ? letter : ""}</button>
  );
}

function VersionRow({ version, a, b }: Choosing & { version: ShownVersion }) {
  const isOn = !version.isCandidate && (version.n === a || version.n === b);
  const tone = shapeOf(version) === "gone" ? "bad" : version.isCandidate ? "q" : version.outside ? "warn" : "";
  const to = version.session ? sessionHref(version.session, { at: version.message, branch: version.branch === "main" ? null : version.branch }) : null;
  return (
    <div class={isOn ? "ver sel" : "ver"} data-version={version.isCandidate ? undefined : version.n}>
      <span class="abs">{!version.isCandidate && <><Radio name="a" version={version.n} isOn={version.n === a && a !== b} /><Radio name="b" version={version.n} isOn={version.n === b} /></>}</span>
      <span class="num">{version.isCandidate ? "" : version.n}</span>
      <span class="s">{clockSeconds(moment(version.time))}</span>
      <span class={`cut ${tone}`}>{to ? <a href={to}>{howText(version)}</a> : howText(version)}</span>
      <span class="num">{version.bytes === null || version.deleted ? "" : grouped(version.bytes)}</span>
      <span class="q">{sureText(version)}</span>
    </div>
  );
}

export function VersionList({ runs, titleOf, a, b }: Choosing & { runs: VersionGroup[]; titleOf: (session: string | null) => string }) {
  return (
    <div class="versions">
      <div class="ver hd" aria-hidden="true"><span class="abs"><span>A</span><span>B</span></span><span class="num">n</span><span>Time</span><span>How</span><span class="num">Bytes</span><span>Known</span></div>
      {[...runs].reverse().map((run, n) => {
        const date = moment(run.versions[0]?.time);
        return (
          <section key={n}>
            <div class="vgrp">
              {run.isOutside ? <b class="cut">Changed outside of any session</b> : run.session ? <a class="cut" href={sessionHref(run.session)}>{titleOf(run.session)}</a> : <b>Without a session</b>}
              <span class="mono q">{run.agent ? "agent" : run.branch && run.branch !== "main" ? run.branch : ""}</span>
              <span class="q end">{date ? day(date) : ""}</span>
            </div>
            {[...run.versions].reverse().map((version, place) => <VersionRow key={place} version={version} a={a} b={b} />)}
          </section>
        );
      })}
    </div>
  );
}
