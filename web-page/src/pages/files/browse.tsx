// All files that sessions touched, and the search through all versions of them.
import { useEffect, useMemo, useState } from "preact/hooks";
import { address, useAnswer } from "../../api";
import { baseName, count, day, grouped, moment } from "../../format";
import { Chip, type Choice, Menu } from "../../parts/chips";
import { Icon } from "../../parts/icon";
import { Failed, Loading, State } from "../../parts/state";
import { change, href } from "../../shell/route";
import type { File, FilesAnswer, RecoverGrepAnswer } from "../../types";
import { projectName } from "../sessions/filter";

const SHOWN = 200;

export function GrepBox({ value, label }: { value: string; label: string }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => change({ grep: typed }), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="box grep"><Icon name="find" /><input type="search" aria-label={label} placeholder={label} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></label>
  );
}

export function Matches({ text, match }: { text: string; match: string | null }) {
  const { data, error } = useAnswer<RecoverGrepAnswer>(address("recover", { grep: text, match }));
  if (error) return <Failed error={error} />;
  if (!data) return <Loading />;
  if (!data.total) return <State title={`No version holds “${text}”`} steps={<button class="btn main" type="button" onClick={() => change({ grep: null })}>All files</button>} />;
  return (
    <>
      <p class="q amount" role="status">{count(data.total, "line")}{data.matches.length < data.total ? `, the first ${data.matches.length} shown` : ""}</p>
      <div class="tablewrap" tabIndex={0} role="region" aria-label="Lines that match">
        <table>
          <thead><tr><th>File</th><th class="num">Line</th><th>Text</th><th class="num">Versions</th></tr></thead>
          <tbody>{data.matches.slice(0, SHOWN).map((one, n) => (
            <tr key={n}><td><a class="link" href={href("/files", { path: one.path, b: String(one.last.n), whole: "1" })}>{baseName(one.path)}</a></td><td class="num q">{one.line}</td><td class="mono wide-text">{one.text}</td><td class="num">{one.first.n === one.last.n ? one.first.n : `${one.first.n} – ${one.last.n}`}</td></tr>
          ))}</tbody>
        </table>
      </div>
    </>
  );
}

function FileRow({ file, message }: { file: File; message: string | null }) {
  const date = moment(file.last);
  const folder = file.path.slice(0, file.path.length - baseName(file.path).length);
  return (
    <tr data-path={file.path}>
      <td class="name"><a href={href("/files", { path: file.path, message })}><b>{baseName(file.path)}</b> <span class="mono q">{folder}</span></a></td>
      <td class="hidep">{file.project ? projectName(file.project) : ""}</td>
      <td class="num">{grouped(file.versions)}</td>
      <td class="num hidep">{file.changes || ""}</td>
      <td class="num hidep">{file.candidates ? <span class="q">{file.candidates} never written</span> : ""}</td>
      <td class="num">{file.deleted ? <span class="bad">deleted</span> : ""}</td>
      <td class="num q">{date ? day(date) : ""}</td>
    </tr>
  );
}

export function Browse({ params, session }: { params: URLSearchParams; session: string | null }) {
  const { data, error } = useAnswer<FilesAnswer>(address("files", { all: true, session, deleted: params.has("deleted") }));
  const [most, setMost] = useState(SHOWN);
  const wanted = params.get("match") ?? "";
  const project = params.get("project");
  const files = useMemo(() => (data?.files ?? []).filter((one) => one.path.toLowerCase().includes(wanted.toLowerCase()) && (!project || one.project === project)), [data, wanted, project]);
  const projects = useMemo<Choice[]>(() => {
    const sums = new Map<string, number>();
    for (const one of data?.files ?? []) if (one.project) sums.set(one.project, (sums.get(one.project) ?? 0) + 1);
    return [...sums].sort((a, b) => b[1] - a[1]).map(([value, size]) => ({ value, label: projectName(value), count: size }));
  }, [data]);
  const grep = params.get("grep") ?? "";
  return (
    <>
      <div class="chips" role="group" aria-label="Filters">
        <label class="box grep"><Icon name="find" /><input type="search" aria-label="Filter by path" placeholder="Filter by path" value={wanted} onInput={(event) => change({ match: event.currentTarget.value })} /></label>
        <GrepBox value={grep} label="In all versions" />
        <span class="sep" />
        <Menu label="Project" choices={projects} value={project} onChange={(value) => change({ project: value })} />
        <Chip label="Deleted" isOn={params.has("deleted")} onChange={(isOn) => change({ deleted: isOn ? "1" : null })} />
      </div>
      {grep ? <Matches text={grep} match={wanted || null} /> : error ? <Failed error={error} /> : !data ? <Loading rows={10} /> : files.length === 0 ? (
        <State title="No file was touched here" steps={<a class="btn main" href="/files">All files</a>}><p>Files appear here when a session reads, writes or edits them.</p></State>
      ) : (
        <div class="tablewrap" tabIndex={0} role="region" aria-label="Files">
          <table class="files">
            <thead><tr><th>File</th><th class="hidep">Project</th><th class="num">Versions</th><th class="num hidep">Changes</th><th class="num hidep" /><th class="num" /><th class="num">Last</th></tr></thead>
            <tbody>{files.slice(0, most).map((file) => <FileRow key={file.path} file={file} message={params.get("message")} />)}</tbody>
          </table>
          {files.length > most && <p class="note"><button class="link" type="button" onClick={() => setMost(most + 500)}>{grouped(files.length - most)} more files</button></p>}
        </div>
      )}
    </>
  );
}
