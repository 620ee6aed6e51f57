// The plain tables: a head, a filter, and one table component for all of them.
import { useEffect, useMemo, useState } from "preact/hooks";
import { about, address, useAnswer } from "../../api";
import { grouped } from "../../format";
import { Chip, Menu } from "../../parts/chips";
import { Icon } from "../../parts/icon";
import { Failed, Loading, State } from "../../parts/state";
import { useKeys } from "../../shell/keys";
import { change, go, type Route, sessionHref } from "../../shell/route";
import type { ShowOffsetAnswer } from "../../types";
import { Browse } from "../files/browse";
import { SessionHead } from "../reader/head";
import { TIMES } from "../sessions/filter";
import { Cell, isNumber, textOf } from "./cell";
import { type Column, TABLES, TABS, type TablePage, type TableView, type Values } from "./tables";

const SHOWN = 300;

function sortedBy(rows: Values[], column: Column | undefined, isDown: boolean): Values[] {
  if (!column) return rows;
  const value = (row: Values): number | string => {
    const found = column.value(row);
    return typeof found === "number" ? found : textOf({ ...column, kind: "text" }, row).toLowerCase();
  };
  const order = isDown ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    return (left < right ? -1 : left > right ? 1 : 0) * order;
  });
}

function DataTable({ view, document, filter }: { view: TableView; document: Values; filter: string }) {
  const [by, setBy] = useState<{ at: number; isDown: boolean } | null>(null);
  const [most, setMost] = useState(SHOWN);
  const all = useMemo(() => view.rows(document), [document]);
  const rows = useMemo(() => {
    const wanted = filter.toLowerCase();
    const kept = wanted ? all.filter((row) => view.columns.some((column) => textOf(column, row).toLowerCase().includes(wanted))) : all;
    return sortedBy(kept, by ? view.columns[by.at] : undefined, by?.isDown ?? false);
  }, [all, filter, by]);
  if (!all.length) return view.empty ? <p class="note q">{view.empty}</p> : null;
  return (
    <div class="tablewrap" tabIndex={0} role="region" aria-label={view.title}>
      <table class="plain">
        <thead>
          <tr>{view.columns.map((column, n) => (
            <th key={column.label} class={`${isNumber(column) ? "num" : ""}${column.isWide ? " hidep" : ""}`} aria-sort={by?.at === n ? (by.isDown ? "descending" : "ascending") : undefined}>
              <button type="button" onClick={() => setBy({ at: n, isDown: by?.at === n ? !by.isDown : isNumber(column) })}>{column.label}{by?.at === n ? (by.isDown ? " ↓" : " ↑") : ""}</button>
            </th>
          ))}</tr>
        </thead>
        <tbody>{rows.slice(0, most).map((row, n) => <tr key={n}>{view.columns.map((column) => <Cell key={column.label} column={column} row={row} />)}</tr>)}</tbody>
      </table>
      {rows.length === 0 && <p class="note q">No row holds “{filter}”.</p>}
      {rows.length > most && <p class="note"><button class="link" type="button" onClick={() => setMost(most + 1000)}>{grouped(rows.length - most)} more rows</button></p>}
    </div>
  );
}

function Filters({ page, params }: { page: TablePage; params: URLSearchParams }) {
  const isCalls = page.title === "Calls";
  return (
    <div class="chips" role="group" aria-label="Filters">
      <label class="box grep"><Icon name="find" /><input type="search" aria-label="Filter rows" placeholder="Filter rows" value={params.get("filter") ?? ""} onInput={(event) => change({ filter: event.currentTarget.value })} /></label>
      {page.hasFilters && <Menu label="Time" choices={TIMES} value={params.get("since")} onChange={(value) => change({ since: value })} />}
      {isCalls && <Chip label="Failed" isOn={params.has("errors")} onChange={(isOn) => change({ errors: isOn ? "1" : null })} />}
      {isCalls && params.get("tool") && <Chip label={params.get("tool") ?? ""} isOn onChange={() => change({ tool: null })} />}
    </div>
  );
}

function Views({ page, url, params }: { page: TablePage; url: string; params: URLSearchParams }) {
  const { data, error } = useAnswer<Values>(url);
  if (error) return <Failed error={error} />;
  if (!data) return <Loading rows={10} />;
  const isOne = page.views.length === 1;
  return (
    <>
      {page.views.filter((view) => view.empty || view.rows(data).length).map((view) => (
        <section key={view.title} class={isOne ? "" : "sec"}>
          {!isOne && <div class="top"><h2>{view.title}</h2><span class="q">{grouped(view.rows(data).length)}</span></div>}
          <DataTable view={view} document={data} filter={params.get("filter") ?? ""} />
        </section>
      ))}
    </>
  );
}

function OfSession({ id, tab, params }: { id: string; tab: string; params: URLSearchParams }) {
  const { data, error } = useAnswer<ShowOffsetAnswer>(address(about("show", id), { offset: 0, limit: 1 }));
  const page = TABS[tab];
  useKeys({ t: () => go(`${sessionHref(id)}/tree`), f: () => go(`${sessionHref(id)}/files`), Escape: () => go(sessionHref(id)) });
  useEffect(() => void (data && (document.title = `${data.session.title ?? "Session"} · backscroll`)), [data]);
  if (!data) return error ? <Failed error={error} /> : <Loading />;
  const url = page?.url(id, params) ?? address("files", { session: id, all: true });
  return (
    <>
      <SessionHead session={data.session} tab={tab}><span class="end"><a class="link" href={url}>JSON</a></span></SessionHead>
      <div class="tabview">
        {page ? <><Filters page={page} params={params} /><Views page={page} url={url} params={params} /></> : <Browse params={params} session={id} />}
      </div>
    </>
  );
}

export function Table({ route }: { route: Route }) {
  const [, first = "", id, tab] = route.path.split("/");
  const page = TABLES[first];
  useEffect(() => {
    if (page) document.title = `${page.title} · backscroll`;
  }, [page]);
  if (first === "sessions" && id && tab) return <div class="view"><OfSession id={decodeURIComponent(id)} tab={tab} params={route.params} /></div>;
  if (!page) return <div class="view"><State title="There is no such page" steps={<a class="btn main" href="/">All sessions</a>} /></div>;
  const url = page.url(id ? decodeURIComponent(id) : null, route.params);
  return (
    <div class="view">
      <div class="narrow">
        <div class="head"><h1>{page.title}</h1><span class="q">{page.note}</span><span class="end keep">{first === "tools" && <a class="link" href={`${url}${url.includes("?") ? "&" : "?"}csv=1`} download>CSV</a>}<a class="link" href={url}>JSON</a></span></div>
        <Filters page={page} params={route.params} />
        <Views page={page} url={url} params={route.params} />
      </div>
    </div>
  );
}
