// Two versions as a diff, or one of them as a whole.
import { useEffect, useState } from "preact/hooks";
import { address, useAnswer } from "../../api";
import { grouped } from "../../format";
import { Segment } from "../../parts/chips";
import { diffRows } from "../../parts/diff";
import { DiffView } from "../../parts/diff_view";
import { Loading } from "../../parts/state";
import { change, sessionHref } from "../../shell/route";
import type { RecoverDiffAnswer } from "../../types";
import type { ShownVersion } from "./versions";

const LONGEST = 200_000;

function useText(url: string | null): { text: string | null; error: string | null } {
  const [found, setFound] = useState<{ text: string | null; error: string | null }>({ text: null, error: null });
  useEffect(() => {
    if (!url) return undefined;
    const stop = new AbortController();
    fetch(url, { signal: stop.signal })
      .then(async (answer) => setFound(answer.ok ? { text: await answer.text(), error: null } : { text: null, error: ((await answer.json()) as { error: { what: string } }).error.what }))
      .catch(() => undefined);
    return () => stop.abort();
  }, [url]);
  return found;
}

function Whole({ url }: { url: string }) {
  const { text, error } = useText(url);
  if (error) return <p class="note pad bad">{error}</p>;
  if (text === null) return <Loading />;
  return (
    <>
      <pre class="whole" tabIndex={0}>{text.slice(0, LONGEST)}</pre>
      {text.length > LONGEST && <p class="more">{grouped(text.length - LONGEST)} more characters; the download has them.</p>}
    </>
  );
}

interface Comparing {
  path: string;
  a: number | null;
  b: ShownVersion;
  isWhole: boolean;
}

export function Compare({ path, a, b, isWhole }: Comparing) {
  const isDiff = !isWhole && a !== null && a !== b.n;
  const found = useAnswer<RecoverDiffAnswer>(isDiff ? address("recover", { path, diff: `${a},${b.n}` }) : null);
  const rows = diffRows(found.data?.diff ?? "");
  const print = address("recover", { path, version: b.n, print: true, partly: true });
  const size = (kind: string): number => rows.filter((row) => row.kind === kind).length;
  return (
    <div class="card">
      <div class="dh">
        <b>{isDiff ? `${a} → ${b.n}` : `Version ${b.n}`}</b>
        {isDiff && <><span class="plus">+{size("added")}</span><span class="minus">−{size("removed")}</span></>}
        <span class="end">
          <Segment label="How" value={isDiff ? "" : "1"} choices={[{ value: "", label: "Diff" }, { value: "1", label: "Whole file" }]} onChange={(value) => change({ whole: value })} />
          {!b.deleted && <a class="link" href={print} download>Download {b.n}</a>}
          {b.session && <a class="link hidep" href={sessionHref(b.session, { at: b.message, branch: b.branch === "main" ? null : b.branch })}>Show in session</a>}
        </span>
      </div>
      {found.error && isDiff && <p class="note pad bad">{found.error.what}. {found.error.remedy}</p>}
      {isDiff && !found.error && (found.data && !rows.length ? <p class="note pad q">Both versions hold the same bytes.</p> : <DiffView rows={rows} label="Changed lines" />)}
      {!isDiff && (b.deleted ? <p class="note pad bad">The file was deleted here.</p> : <Whole url={print} />)}
    </div>
  );
}
