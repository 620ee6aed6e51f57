// The rows of the reader as articles: a time, the rail, and what was said.
import type { ComponentChildren } from "preact";
import { clock, clockSeconds, count, day, dollars, modelName, moment, seconds, tokens } from "../../format";
import { copy } from "../../parts/copy";
import { Icon } from "../../parts/icon";
import { change, href, sessionHref } from "../../shell/route";
import type { ShownMessage, ShownPart } from "./messages";
import { PartHtml } from "./part";
import type { Row } from "./rows";

export interface Actions {
  toggleAgent: (agent: string) => void;
  toggleCopies: (session: string) => void;
  session: string;
  tookOf: (part: ShownPart, message: ShownMessage) => number | null;
}

const SPEAKERS: Record<string, string> = { user: "You", assistant: "Claude", tool: "Result", system: "System" };

type Of<K extends Row["kind"]> = Extract<Row, { kind: K }>;

function Frame({ when, node, children }: { when?: ComponentChildren; node?: string; children: ComponentChildren }) {
  return (
    <>
      <span class="when">{when}</span>
      <span class="rail">{node !== undefined && <i class={`node ${node}`} />}</span>
      <div class="c">{children}</div>
    </>
  );
}

function When({ row }: { row: Of<"message"> }) {
  const date = moment(row.message.time);
  if (row.isGlue || !date) return null;
  const note = row.isNewDay ? day(date) : row.isNewModel ? modelName(row.message.model) : "";
  return (
    <>
      <time dateTime={row.message.time ?? ""} title={`${day(date)}, ${clockSeconds(date)}`}>{clock(date)}</time>
      {note && <small>{note}</small>}
    </>
  );
}

/** Return parts in runs, so that neighbouring calls share one box. */
function inRuns(parts: ShownPart[]): ShownPart[][] {
  const runs: ShownPart[][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last && last[0]?.kind === "call" && part.kind === "call") last.push(part);
    else runs.push([part]);
  }
  return runs;
}

function Acts({ message, n }: { message: ShownMessage; n: number }) {
  const words = message.parts.filter((part) => part.kind === "text").map((part) => part.text ?? "").join("\n\n");
  const address = location.origin + sessionHref(message.session, { at: message.id, branch: message.branch === "main" ? null : message.branch });
  const { usage } = message;
  return (
    <div class="acts">
      {words && <button type="button" onClick={() => void copy(words, "the text")}>Copy</button>}
      <button type="button" onClick={() => void copy(address, "the link")}>Link</button>
      <a href={href("/files", { session: message.session, message: message.id })}>Files as they were here</a>
      {usage && <span>{tokens((usage.input ?? 0) + (usage.output ?? 0) + (usage.cache_write ?? 0) + (usage.cache_read ?? 0))} tokens{usage.cost === null ? "" : `, ${dollars(usage.cost)}`}</span>}
      <a href={`/api/show/${encodeURIComponent(message.session)}?offset=${n}&limit=1${message.branch === "main" ? "" : `&branch=${encodeURIComponent(message.branch)}`}`}>JSON</a>
      {message.copied_from && <a href={sessionHref(message.copied_from)}>Copied from another session</a>}
    </div>
  );
}

function Said({ row, actions }: { row: Of<"message">; actions: Actions }) {
  const { message, parts } = row;
  const isPrompt = message.role === "user" && message.depth === 0;
  const runs = inRuns(parts).map((run) => {
    const shown = run.map((part, n) => <PartHtml key={n} part={part} message={message} took={actions.tookOf(part, message)} />);
    return run[0]?.kind === "call" ? <div class="calls" key={parts.indexOf(run[0])}>{shown}</div> : shown;
  });
  const who = message.agent ? "Agent" : (SPEAKERS[message.role] ?? message.role);
  const hasFailed = parts.some((part) => part.kind === "result" && part.error);
  const node = row.isGlue ? undefined : isPrompt ? "p" : hasFailed ? "err" : "";
  return (
    <Frame when={<When row={row} />} {...(node === undefined ? {} : { node })}>
      <span class="vh">{who}{message.agent ? `, ${SPEAKERS[message.role] ?? ""}` : ""}</span>
      {isPrompt ? <div class="prompt">{runs}</div> : <div class={`by-${message.role}`}>{runs}</div>}
      {!row.isGlued && <Acts message={message} n={row.n} />}
    </Frame>
  );
}

function AgentHead({ row, actions }: { row: Of<"agent">; actions: Actions }) {
  const { sums } = row;
  const facts = [count(sums.messages, "message"), count(sums.calls, "call"), sums.tokens ? `${tokens(sums.tokens)} tokens` : "", dollars(sums.cost)].filter(Boolean);
  return (
    <Frame when={<>{clock(moment(row.time))}{sums.seconds !== null && <small>{seconds(sums.seconds)}</small>}</>} node="sq">
      <div class={row.isOpen ? "agent open" : "agent"}>
        <button class="line" type="button" aria-expanded={row.isOpen} onClick={() => actions.toggleAgent(row.agent)}>
          <Icon name="caret" small /><b>Agent</b><span class="s cut agq">{row.label}</span><span class="roll">{facts.map((fact) => <span key={fact}>{fact}</span>)}</span>
        </button>
      </div>
    </Frame>
  );
}

function Fork({ row }: { row: Of<"fork"> }) {
  const ways = ["", "One way", "Two ways", "Three ways", "Four ways"][row.ways.length] ?? `${row.ways.length} ways`;
  return (
    <>
      <span class="when" />
      <span class="rail"><svg class="twig" aria-hidden="true"><path d="M.5 0C.5 14 6 18 17 18" /></svg></span>
      <div class="c">
        <div class="forkbox" role="group" aria-label={`Fork: ${ways} from here`}>
          <h2><Icon name="fork" />{ways} from here</h2>
          {row.ways.map((way) => (
            <button key={way.branch} class="way" type="button" aria-current={way.isHere ? "true" : undefined} onClick={() => !way.isHere && change({ branch: way.branch === "main" ? null : way.branch, at: null }, false)}>
              <span class="ring" /><span class="cut">{way.label || way.branch}</span>
              <span class="q num">{way.messages === null ? "" : count(way.messages, "message")}</span><span class="q num">{clock(moment(way.time))}</span>
            </button>
          ))}
        </div>
      </div>
    </>
  );
}

function Compaction({ row, actions }: { row: Of<"compaction">; actions: Actions }) {
  const { session } = actions;
  return (
    <Frame>
      <div class="compact"><span>{row.text}</span></div>
      {row.replaced && row.replaced.count > 0 && (
        <p class="note q">It replaced the {count(row.replaced.count, "message")} above{row.replaced.first && <>, from <a class="link" href={sessionHref(session, { at: row.replaced.first.message })}>{row.replaced.first.label || "the first prompt"}</a></>}.</p>
      )}
      {row.message?.parts.map((part, n) => part.html && <PartHtml key={n} part={part} message={row.message as ShownMessage} took={actions.tookOf(part, row.message as ShownMessage)} />)}
    </Frame>
  );
}

function DamageBox({ row }: { row: Of<"damage"> }) {
  const { place, reason } = row.damage;
  return (
    <Frame>
      <div class="damage">
        <Icon name="alert" />
        <p><b>One place here cannot be read.</b> {reason.charAt(0).toUpperCase() + reason.slice(1)}.</p>
        <p>{place.line ? `Line ${place.line}` : ""}{place.length ? `, ${count(place.length, "byte")}` : ""} <span class="mono">{place.path}</span></p>
      </div>
    </Frame>
  );
}

export function RowContent({ row, actions }: { row: Row; actions: Actions }) {
  switch (row.kind) {
    case "message":
      return <Said row={row} actions={actions} />;
    case "agent":
      return <AgentHead row={row} actions={actions} />;
    case "fork":
      return <Fork row={row} />;
    case "compaction":
      return <Compaction row={row} actions={actions} />;
    case "damage":
      return <DamageBox row={row} />;
    case "gap":
      return <Frame><p class="note bad">Messages before this one are missing.</p></Frame>;
    case "steps":
      return <Frame><button class="think" type="button" onClick={() => change({ focus: null, at: row.message })}><Icon name="caret" small />{count(row.count, "step")} folded</button></Frame>;
    case "copied":
      return (
        <Frame>
          <p class="note q">{count(row.count, "message")} {row.count === 1 ? "is" : "are"} the same as in <a class="link" href={sessionHref(row.session)}>another session</a>. <button class="link" type="button" aria-expanded={row.isOpen} onClick={() => actions.toggleCopies(row.session)}>{row.isOpen ? "Fold" : "Show"}</button></p>
        </Frame>
      );
  }
}

const DASHED: Partial<Record<Row["kind"], string>> = { compaction: "cutrail", damage: "broken" };

export function classOf(row: Row): string {
  const kinds = ["m", DASHED[row.kind] ?? "", row.kind === "agent" ? "boxed" : ""];
  if (row.depth > 0) kinds.push("inner", `d${Math.min(row.depth, 3)}`, row.isEnd ? "ends" : "");
  if (row.kind === "message") kinds.push(row.isGlued ? "glued" : "", row.isGlue ? "glue" : "", row.message.is_typed ? "typed" : "");
  return kinds.filter(Boolean).join(" ");
}

