// Usage: tokens and cost over time, by model, project and session; every chart has its table.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { address, type Options, useAnswer } from "../../api";
import { day, dayKey, dollars, grouped, tokens } from "../../format";
import { type Choice, Menu, Segment } from "../../parts/chips";
import { Failed, Loading, State } from "../../parts/state";
import { usePhone } from "../../parts/width";
import { change, type Route } from "../../shell/route";
import type { Amount, ToolsAnswer, UsageAnswer, Usagerow } from "../../types";
import { projectName } from "../sessions/filter";
import { Chart } from "./chart";
import { Calendar, CalendarTable, Hours, HoursTable } from "./heat";
import { days, type Measure, seriesOf } from "./series";
import { Blocks, Days, Dearest, Models, Projects, Tools } from "./tables";

const TIMES: Choice[] = [["7", "7 d"], ["30", "30 d"], ["90", "90 d"], ["365", "Year"], ["all", "All"]].map(([value = "", label = ""]) => ({ value, label }));

const dayBack = (back: number): string => {
  const now = new Date();
  return dayKey(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back, 12));
};

function Figures({ total, sessions }: { total: Amount; sessions: number }) {
  const input = (total.input ?? 0) + (total.cache_write ?? 0) + (total.cache_read ?? 0);
  const share = input ? Math.round(((total.cache_read ?? 0) / input) * 100) : null;
  return (
    <dl class="figs">
      <div><dt>Cost at list price</dt><dd>{dollars(total.cost)}{total.lower_bound && <small> at least</small>}</dd></div>
      <div><dt>Output</dt><dd>{tokens(total.output)} <small>tokens</small></dd></div>
      <div><dt>Input</dt><dd>{tokens(input)} <small>tokens</small></dd></div>
      {share !== null && <div><dt>From cache</dt><dd>{share} <small>% of input</small></dd></div>}
      <div><dt>Messages</dt><dd>{grouped(total.messages)}</dd></div>
      <div><dt>Sessions</dt><dd>{grouped(sessions)}</dd></div>
    </dl>
  );
}

function Section({ title, note, url, children, end }: { title: string; note?: string; url?: string; children: ComponentChildren; end?: ComponentChildren }) {
  return (
    <section class="sec">
      <div class="top"><h2>{title}</h2>{note && <span class="q hidep">{note}</span>}<span class="end">{end}{url && <Numbers url={url} />}</span></div>
      <div class="tablewrap" tabIndex={0} role="region" aria-label={title}>{children}</div>
    </section>
  );
}

/** The links to the numbers of a table or chart. */
function Numbers({ url }: { url: string }) {
  return <><a class="link" href={`${url}&csv=1`} download>CSV</a><a class="link" href={url}>JSON</a></>;
}

interface OfFigure {
  title: string;
  note?: string;
  url: string;
  legend?: ComponentChildren;
  chart: ComponentChildren;
  table: ComponentChildren;
}

/** A chart, or its table in its place. */
function Figure({ title, note, url, legend, chart, table }: OfFigure) {
  const [isTable, setTable] = useState(false);
  return (
    <>
      <div class="lead"><h2>{title}</h2>{note && <span class="q hidep">{note}</span>}<span class="end">{!isTable && legend}<button class="link" type="button" aria-label={isTable ? `Chart: ${title}` : `Table: ${title}`} onClick={() => setTable(!isTable)}>{isTable ? "Chart" : "Table"}</button><Numbers url={url} /></span></div>
      {isTable ? <div class="tablewrap numbers" tabIndex={0} role="region" aria-label={`${title}, table`}>{table}</div> : <div class="plot">{chart}</div>}
    </>
  );
}

function NothingUsed({ rows }: { rows: Usagerow[] }) {
  const last = rows.at(-1);
  return (
    <State title="Nothing was used in this time" steps={<><button class="btn main" type="button" onClick={() => change({ days: "90" })}>Show 90 days</button><button class="btn" type="button" onClick={() => change({ days: "all" })}>All time</button></>}>
      {last && <p>The last use was on {String(last.keys["day"])}: {dollars(last.cost)}.</p>}
    </State>
  );
}

const choicesOf = (rows: Usagerow[] | undefined, key: string, label: (value: string) => string): Choice[] =>
  (rows ?? []).flatMap((row) => (typeof row.keys[key] === "string" ? [{ value: row.keys[key] as string, label: label(row.keys[key] as string) }] : []));

export function UsagePage({ route }: { route: Route }) {
  const { params } = route;
  const isPhone = usePhone();
  const period = params.get("days") ?? "30";
  const measure: Measure = params.get("measure") === "tokens" ? "tokens" : "cost";
  const since = period === "all" ? null : dayBack(Number(period) - 1);
  const filter: Options = { project: params.get("project"), model: params.get("model") };
  const ask = (by: string, from = since): string => address("usage", { by, since: from, ...filter });
  const main = useAnswer<UsageAnswer>(ask("day,model"));
  const models = useAnswer<UsageAnswer>(address("usage", { by: "model" }));
  const year = useAnswer<UsageAnswer>(ask("day", dayBack(371)));
  const sessions = useAnswer<UsageAnswer>(ask("session"));
  const projects = useAnswer<UsageAnswer>(ask("project"));
  const hours = useAnswer<UsageAnswer>(ask("hour"));
  const blocks = useAnswer<UsageAnswer>(ask("block"));
  const tools = useAnswer<ToolsAnswer>(address("tools", { since, project: params.get("project") }));
  const [isWhole, setWhole] = useState(false);
  const series = useMemo(() => seriesOf(models.data?.rows ?? []), [models.data]);
  const all = useMemo(() => {
    const used = (main.data?.rows ?? []).map((row) => String(row.keys["day"])).filter((name) => /^\d{4}-/.test(name)).sort();
    const first = since ?? used[0] ?? dayBack(29);
    return days(main.data?.rows ?? [], series, measure, first, dayBack(0));
  }, [main.data, series, measure]);
  useEffect(() => void (document.title = "Usage · backscroll"), []);
  if (!main.data || !models.data) return <div class="view narrow">{main.error ? <Failed error={main.error} /> : <Loading rows={10} />}</div>;
  const total = main.data.total as unknown as Amount;
  const used = all.filter((one) => one.row.messages > 0).length;
  const span = `${day(new Date(`${all[0]?.day ?? dayBack(0)}T12:00:00`))} – ${day(new Date())}`;
  return (
    <div class="view">
      <div class="narrow">
        <div class="head"><h1>Usage</h1><span class="q">{span}</span><span class="end keep"><a class="link" href={`${ask("day,model")}&csv=1`} download>CSV</a><a class="link" href={ask("day,model")}>JSON</a></span></div>
        <div class="chips">
          <Segment label="Time" choices={TIMES} value={period} onChange={(value) => change({ days: value === "30" ? null : value })} />
          <Segment label="Measure" choices={[{ value: "cost", label: "Cost" }, { value: "tokens", label: "Tokens" }]} value={measure} onChange={(value) => change({ measure: value === "cost" ? null : value })} />
          <span class="sep" />
          <Menu label="Project" choices={choicesOf(projects.data?.rows, "project", projectName)} value={params.get("project")} onChange={(value) => change({ project: value })} />
          <Menu label="Model" choices={choicesOf(models.data.rows, "model", (name) => name)} value={params.get("model")} onChange={(value) => change({ model: value })} />
        </div>
        {total.messages === 0 ? <NothingUsed rows={year.data?.rows ?? []} /> : (
          <>
            <Figures total={total} sessions={sessions.data?.rows.length ?? 0} />
            <div class="two-col">
              <section><div class="lead"><h2>By day and model</h2><span class="end"><Numbers url={ask("day,model")} /></span></div><Chart all={isPhone ? all.slice(-14) : all} series={series} measure={measure} /></section>
              <section><div class="lead"><h2>Models</h2><span class="end"><Numbers url={ask("model")} /></span></div><Models all={all} series={series} measure={measure} /></section>
            </div>
            <div class="two-col sec">
              <section>
                <Figure
                  title="Calendar" note={`${measure} per day, today ringed`} url={ask("day", dayBack(371))}
                  legend={<span class="legend hidep" aria-hidden="true"><span>less <i class="sw h0" /><i class="sw h1" /><i class="sw h2" /><i class="sw h3" /><i class="sw h4" /> more</span></span>}
                  chart={<Calendar rows={year.data?.rows ?? []} measure={measure} weeks={isPhone ? 22 : 52} />}
                  table={<CalendarTable rows={year.data?.rows ?? []} measure={measure} />}
                />
                <div class="hours">
                  <Figure title="Hours of the week" url={ask("hour")} chart={<Hours rows={hours.data?.rows ?? []} measure={measure} isSmall={isPhone} />} table={<HoursTable rows={hours.data?.rows ?? []} measure={measure} />} />
                </div>
              </section>
              <section>
                <div class="lead"><h2>Dearest sessions</h2><span class="end"><Numbers url={ask("session")} /></span></div><Dearest rows={sessions.data?.rows ?? []} measure={measure} />
                <div class="lead next"><h2>Projects</h2><span class="end"><Numbers url={ask("project")} /></span></div><Projects rows={projects.data?.rows ?? []} measure={measure} />
              </section>
            </div>
            <Section title="Days" note={isWhole || used <= 8 ? `${used} with use` : `the last 8 of ${used}`} url={ask("day")} end={used > 8 && <button class="link" type="button" onClick={() => setWhole(!isWhole)}>{isWhole ? "Fewer" : "All days"}</button>}><Days all={all} isWhole={isWhole} /></Section>
            <Section title="Blocks" note="the last eight" url={ask("block")}><Blocks rows={blocks.data?.rows ?? []} /></Section>
            <Section title="Tools" note="the most called" url={address("tools", { since: since ?? "2000-01-01", project: params.get("project") })} end={<a class="link" href="/tools">All tools</a>}><Tools tools={tools.data?.tools ?? []} /></Section>
            <p class="note q">{main.data.unpriced.length > 0 && `Not in any cost: ${main.data.unpriced.map((one) => String((one as { model?: unknown }).model ?? "a model without a name")).join(", ")}. `}{main.data.prices}</p>
          </>
        )}
      </div>
    </div>
  );
}
