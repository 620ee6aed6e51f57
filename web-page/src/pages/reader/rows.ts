// Rows of the reader from messages: pure, so that it can be read and tested alone.
import { dayKey, moment } from "../../format";
import type { Agent, Damage, Landmark, Node } from "../../types";
import type { ShownMessage, ShownPart } from "./messages";

export interface Way {
  branch: string;
  label: string;
  messages: number | null;
  time: string | null;
  isHere: boolean;
}

export interface AgentSums {
  messages: number;
  calls: number;
  tokens: number;
  cost: number | null;
  seconds: number | null;
}

/** The messages that a compaction replaced: their number, and the first prompt among them. */
export interface Replaced {
  count: number;
  first: Landmark | null;
}

interface Base {
  key: string;
  n: number;
  depth: number;
  /** True for the last row of an agent. */
  isEnd?: boolean;
}

export type Row = Base &
  (
    | { kind: "message"; message: ShownMessage; parts: ShownPart[]; isNewDay: boolean; isNewModel: boolean; isGlued: boolean; isGlue: boolean }
    | { kind: "agent"; agent: string; call: string | null; label: string; sums: AgentSums; isOpen: boolean; time: string | null }
    | { kind: "fork"; ways: Way[] }
    | { kind: "compaction"; text: string; message: ShownMessage | null; id: string; replaced: Replaced | null }
    | { kind: "copied"; count: number; session: string; isOpen: boolean }
    | { kind: "steps"; count: number; message: string }
    | { kind: "damage"; damage: Damage }
    | { kind: "gap" }
  );

export interface View {
  from: number;
  branch: string;
  isFocus: boolean;
  hidden: ReadonlySet<string>;
  openAgents: ReadonlySet<string>;
  openCopies: ReadonlySet<string>;
  nodes: Node[];
  agents: Record<string, Agent>;
  /** The landmarks of the whole session; none until they are here. */
  items: Landmark[];
  damage: Damage[];
}

const hasWords = (message: ShownMessage): boolean => message.parts.some((part) => part.kind === "text" && part.html);
const isBoundary = (message: ShownMessage): boolean => message.parts.some((part) => part.trigger !== undefined || part.tokens_before !== undefined);
const STARTS = new Set(["Agent", "Task"]);
const isCall = (part: ShownPart | undefined): boolean => part?.kind === "call";

function sumsOf(messages: ShownMessage[]): AgentSums {
  const times = messages.map((one) => moment(one.time)?.getTime()).filter((time) => time !== undefined);
  const costs = messages.map((one) => one.usage?.cost).filter((cost) => typeof cost === "number");
  const total = (one: ShownMessage): number => (one.usage ? (one.usage.input ?? 0) + (one.usage.output ?? 0) + (one.usage.cache_write ?? 0) + (one.usage.cache_read ?? 0) : 0);
  return {
    messages: messages.filter((one) => one.role === "user" || one.role === "assistant").length,
    calls: messages.flatMap((one) => one.parts).filter(isCall).length,
    tokens: messages.reduce((sum, one) => sum + total(one), 0),
    cost: costs.length ? costs.reduce((sum, cost) => sum + cost, 0) : null,
    seconds: times.length > 1 ? (Math.max(...times) - Math.min(...times)) / 1000 : null,
  };
}

/** Return the end of the run of an agent that begins at a place: its own messages and those of its agents. */
function endOfRun(messages: ShownMessage[], start: number): number {
  const depth = messages[start]?.depth ?? 0;
  const agent = messages[start]?.agent;
  let end = start + 1;
  while (end < messages.length) {
    const one = messages[end];
    if (!one || one.depth < depth || (one.depth === depth && one.agent !== agent)) break;
    end += 1;
  }
  return end;
}

class Builder {
  readonly rows: Row[] = [];
  private lastDay = "";
  private lastModel = "";
  private damage: Damage[];
  private folded = 0;

  constructor(
    private readonly messages: ShownMessage[],
    private readonly view: View,
  ) {
    this.damage = [...view.damage].sort((a, b) => (a.place.offset ?? 0) - (b.place.offset ?? 0));
  }

  build(isWhole: boolean): Row[] {
    this.take(0, this.messages.length);
    this.endSteps(this.messages.length);
    if (isWhole) for (const one of this.damage) this.addDamage(one, this.messages.length);
    this.rows.forEach((row, n) => (row.isEnd = row.depth > (this.rows[n + 1]?.depth ?? row.depth)));
    return this.rows;
  }

  private take(start: number, end: number): void {
    let at = start;
    while (at < end) {
      const message = this.messages[at];
      if (!message) break;
      at = this.takeOne(message, at, end);
    }
  }

  /** Take one message, or the run that begins with it; return the place after it. */
  private takeOne(message: ShownMessage, at: number, end: number): number {
    const before = this.messages[at - 1];
    this.takeDamage(message, at);
    if (message.agent && (at === 0 || before === undefined || message.depth > before.depth || (message.agent !== before.agent && message.depth === before.depth))) return this.takeAgent(message, at, end);
    if (message.agent && before && message.depth < before.depth && !this.isOpen(message.agent)) return at + 1;
    if (message.copied_from && message.copied_from !== before?.copied_from) return this.takeCopies(message, at, end);
    if (isBoundary(message) || message.parts.some((part) => part.kind === "summary")) return this.takeCompaction(message, at);
    this.add(message, at);
    return at + 1;
  }

  private isOpen(agent: string): boolean {
    return this.view.openAgents.has(agent);
  }

  private takeAgent(message: ShownMessage, at: number, end: number): number {
    const stop = Math.min(end, endOfRun(this.messages, at));
    const run = this.messages.slice(at, stop);
    const agent = message.agent ?? "";
    if (this.view.isFocus || this.view.hidden.has("agents")) {
      this.folded += run.length;
      return stop;
    }
    const isOpen = this.isOpen(agent);
    const known = this.view.agents[agent];
    const label = [known?.type, known?.description].filter(Boolean).join(" ");
    const base = { n: this.view.from + at, depth: message.depth - 1 };
    const before = this.messages[at - 1];
    const call = before && before.depth < message.depth && !this.shownParts(before, at - 1).length ? before.id : null;
    this.rows.push({ ...base, key: `agent ${agent} ${base.n}`, kind: "agent", agent, call, label, sums: sumsOf(run), isOpen, time: message.time });
    if (isOpen) this.takeInside(at, stop);
    else this.takeLast(run, at);
    return stop;
  }

  private takeInside(at: number, stop: number): void {
    const first = this.messages[at];
    if (first) this.add(first, at);
    this.take(at + 1, stop);
  }

  private takeLast(run: ShownMessage[], at: number): void {
    const last = run.findLastIndex((one) => one.agent === run[0]?.agent && one.role === "assistant" && hasWords(one));
    const message = run[last];
    if (message) this.add({ ...message, parts: message.parts.filter((part) => part.kind === "text") }, at + last);
  }

  private takeCopies(message: ShownMessage, at: number, end: number): number {
    let stop = at + 1;
    while (stop < end && this.messages[stop]?.copied_from === message.copied_from) stop += 1;
    const session = message.copied_from ?? "";
    const isOpen = this.view.openCopies.has(session) || stop - at < 3;
    if (stop - at >= 3) this.rows.push({ key: `copied ${at}`, n: this.view.from + at, depth: message.depth, kind: "copied", count: stop - at, session, isOpen });
    if (isOpen) for (let place = at; place < stop; place += 1) this.add(this.messages[place] as ShownMessage, place);
    return stop;
  }

  private takeCompaction(message: ShownMessage, at: number): number {
    const next = this.messages[at + 1];
    const hasSummary = (one: ShownMessage | undefined): boolean => one?.parts.some((part) => part.kind === "summary") ?? false;
    const boundary = message.parts.find((part) => part.trigger !== undefined || part.tokens_before !== undefined);
    const isPair = !hasSummary(message) && hasSummary(next);
    const summary = hasSummary(message) ? message : isPair ? (next ?? null) : null;
    const how = boundary?.trigger === "auto" ? "Compacted by itself" : boundary?.trigger === "manual" ? "Compacted by hand" : "Compacted";
    const size = typeof boundary?.tokens_before === "number" ? ` at ${Math.round(boundary.tokens_before / 1000)} k tokens` : "";
    this.rows.push({ key: `compaction ${message.id}`, n: this.view.from + at, depth: message.depth, kind: "compaction", text: `${how}${size}.`, message: summary, id: message.id, replaced: this.replacedBy(this.view.from + at) });
    return at + (isPair ? 2 : 1);
  }

  private replacedBy(n: number): Replaced | null {
    const { items } = this.view;
    if (!items.length) return null;
    const start = (items.findLast((one) => one.kind === "compaction" && one.n < n)?.n ?? -1) + 1;
    return { count: n - start, first: items.find((one) => one.kind === "prompt" && one.n >= start && one.n < n) ?? null };
  }

  private takeDamage(message: ShownMessage, at: number): void {
    const isBefore = (one: Damage): boolean => one.place.path === message.place.path && (one.place.offset ?? 0) < (message.place.offset ?? 0);
    const here = this.damage.filter(isBefore);
    this.damage = this.damage.filter((one) => !isBefore(one));
    if (at > 0 || this.view.from === 0) for (const one of here) this.addDamage(one, at);
  }

  private addDamage(damage: Damage, at: number): void {
    this.rows.push({ key: `damage ${damage.place.path} ${damage.place.offset}`, n: this.view.from + at, depth: 0, kind: "damage", damage });
  }

  /** Return the parts to show; a call that starts an agent is shown by the box of that agent. */
  private shownParts(message: ShownMessage, at: number): ShownPart[] {
    const isStart = this.startsAgent(message, at);
    return message.parts.filter((part) => part.html && !this.view.hidden.has(part.kind) && !(isStart && part.kind === "call" && STARTS.has(String(part.name))));
  }

  private startsAgent(message: ShownMessage, at: number): boolean {
    return (this.messages[at + 1]?.depth ?? 0) > message.depth && !this.view.hidden.has("agents");
  }

  private isKeptInFocus(message: ShownMessage, at: number): boolean {
    if (message.is_typed) return true;
    if (message.role !== "assistant" || message.depth > 0 || !hasWords(message)) return false;
    const rest = this.messages.slice(at + 1).find((one) => one.depth === 0 && (one.is_typed || (one.role === "assistant" && hasWords(one))));
    return rest === undefined || rest.is_typed;
  }

  private endSteps(at: number): void {
    if (!this.folded) return;
    const message = this.messages[at - this.folded];
    this.rows.push({ key: `steps ${this.view.from + at}`, n: this.view.from + at - this.folded, depth: 0, kind: "steps", count: this.folded, message: message?.id ?? "" });
    this.folded = 0;
  }

  private add(message: ShownMessage, at: number): void {
    const parts = this.shownParts(message, at);
    if (this.view.isFocus && !this.isKeptInFocus(message, at)) {
      this.folded += parts.length ? 1 : 0;
      return;
    }
    this.endSteps(at);
    if (message.marks.includes("gap") || message.marks.includes("cycle")) this.rows.push({ key: `gap ${message.id}`, n: this.view.from + at, depth: message.depth, kind: "gap" });
    const words = this.view.isFocus ? parts.filter((part) => part.kind === "text" || part.kind === "image") : parts;
    if (words.length) this.addMessage(message, words, at);
    this.addFork(message, at);
  }

  private addMessage(message: ShownMessage, parts: ShownPart[], at: number): void {
    const date = moment(message.time);
    const day = date ? dayKey(date) : this.lastDay;
    const model = message.role === "assistant" && message.depth === 0 ? (message.model ?? "") : this.lastModel;
    const last = this.rows.at(-1);
    const isGlue = last?.kind === "message" && last.depth === message.depth && isCall(last.parts.at(-1)) && isCall(parts[0]);
    if (isGlue) last.isGlued = true;
    this.rows.push({
      key: `${message.id} ${message.depth}`, n: this.view.from + at, depth: message.depth, kind: "message", message, parts,
      isNewDay: day !== this.lastDay, isNewModel: model !== this.lastModel, isGlued: false, isGlue,
    });
    this.lastDay = day;
    this.lastModel = model;
  }

  private addFork(message: ShownMessage, at: number): void {
    const names = message.marks.filter((mark) => mark.startsWith("fork ")).map((mark) => mark.slice(5));
    if (!names.length || this.view.isFocus) return;
    const next = this.messages.slice(at + 1).find((one) => one.depth === 0 && one.parts.some((part) => part.text));
    const others = names.map((name) => {
      const node = this.view.nodes.find((one) => one.kind === "branch" && one.id === name);
      return { branch: name, label: node?.label ?? name, messages: node?.messages ?? null, time: node?.time ?? null, isHere: false };
    });
    const here: Way = { branch: next?.branch ?? this.view.branch, label: next?.parts.find((part) => part.text)?.text?.slice(0, 120) ?? "", messages: null, time: next?.time ?? null, isHere: true };
    const rest = others.filter((one) => one.branch !== here.branch);
    const main: Way[] = here.branch === "main" ? [] : [{ branch: "main", label: "The branch that the session went on with", messages: null, time: null, isHere: false }];
    this.rows.push({ key: `fork ${message.id}`, n: this.view.from + at, depth: message.depth, kind: "fork", ways: [here, ...main, ...rest] });
  }
}

/** Return the rows of some messages; `isWhole` if they reach the end of the session. */
export const buildRows = (messages: ShownMessage[], view: View, isWhole: boolean): Row[] => new Builder(messages, view).build(isWhole);

/** Return the agents around a message, so that a link into an agent can open them. */
export function agentsAround(messages: ShownMessage[], id: string): string[] {
  const at = messages.findIndex((one) => one.id.startsWith(id));
  const found: string[] = [];
  let depth = messages[at]?.depth ?? 0;
  for (let place = at; place >= 0 && depth > 0; place -= 1) {
    const one = messages[place];
    if (!one?.agent || one.depth > depth) continue;
    if (!found.includes(one.agent)) found.push(one.agent);
    depth = Math.min(depth, one.depth);
  }
  return found;
}
