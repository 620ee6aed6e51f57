// The plain tables: for each page its title, its documents, and the columns of its tables.
import { address, about } from "../../api";
import { shortId } from "../../format";

export type Values = Record<string, unknown>;
export type Kind = "text" | "mono" | "count" | "bytes" | "time" | "seconds" | "cost" | "session" | "bad" | "failures" | "value" | "command";

export interface Column {
  label: string;
  kind: Kind;
  value: (row: Values) => unknown;
  /** A column that narrow screens leave out. */
  isWide?: boolean;
  /** The session that a cell of kind `session` leads to, and the message in it. */
  link?: (row: Values) => { session: unknown; at?: unknown };
}

export interface TableView {
  title: string;
  rows: (document: Values) => Values[];
  columns: Column[];
  empty: string;
}

export interface TablePage {
  title: string;
  note: string;
  url: (id: string | null, params: URLSearchParams) => string;
  /** True if the document can be narrowed by time and project. */
  hasFilters?: boolean;
  isHidden?: boolean;
  views: TableView[];
}

const at = (row: Values, path: string): unknown => path.split(".").reduce<unknown>((value, name) => (value as Values | null | undefined)?.[name], row);
const column = (label: string, kind: Kind, path: string, isWide = false): Column => ({ label, kind, value: (row) => at(row, path), isWide });
const sessionColumn = (label: string, path: string, id = path, message = ""): Column => ({ label, kind: "session", value: (row) => at(row, path), link: (row) => ({ session: at(row, id), at: message ? at(row, message) : null }) });
const list = (name: string) => (document: Values): Values[] => (document[name] as Values[] | undefined) ?? [];

const TOOL_COLUMNS = [column("Name", "text", "name"), column("Calls", "count", "calls"), column("Errors", "failures", "errors"), column("Refused", "count", "refusals", true), column("Unanswered", "count", "unanswered", true), column("Sessions", "count", "sessions", true), column("Time", "seconds", "seconds"), column("Slowest", "seconds", "slowest", true)];
const tool = (name: string, title: string): TableView => ({ title, rows: list(name), columns: TOOL_COLUMNS, empty: "No call was made." });

const DAMAGE: TableView = { title: "Damage", rows: list("damage"), columns: [column("Reason", "text", "reason"), column("File", "mono", "place.path"), column("Line", "count", "place.line", true)], empty: "Everything could be read." };

const CALLS: TableView = {
  title: "Calls",
  rows: list("calls"),
  columns: [
    column("Time", "time", "started"), sessionColumn("Tool", "name", "session", "message"),
    { label: "Input", kind: "mono", value: (row) => inputText(row["input"]) },
    { label: "Outcome", kind: "bad", value: (row) => (row["result"] === null ? "no result" : at(row, "result.error") ? "failed" : "") },
    { label: "Seconds", kind: "seconds", isWide: true, value: (row) => (row["started"] && row["finished"] ? (Date.parse(String(row["finished"])) - Date.parse(String(row["started"]))) / 1000 : null) },
    column("Agent", "mono", "agent", true), column("Branch", "mono", "branch", true),
  ],
  empty: "No call was made.",
};

function inputText(input: unknown): string {
  const given = (input ?? {}) as Values;
  for (const name of ["command", "file_path", "pattern", "path", "url", "query", "description", "prompt"]) if (typeof given[name] === "string") return given[name] as string;
  return JSON.stringify(input) ?? "";
}

const TREE: TableView = {
  title: "Tree",
  rows: (document) => inTree(list("nodes")(document)),
  columns: [
    { label: "Kind", kind: "text", value: (row) => `${"\u2003".repeat(Number(row["level"] ?? 0))}${String(row["kind"])}` },
    { label: "Name", kind: "session", value: (row) => row["label"], link: (row) => ({ session: row["kind"] === "session" || row["kind"] === "fork" || row["kind"] === "copy" ? row["id"] : row["session"], at: row["kind"] === "compaction" ? row["id"] : null, branch: row["kind"] === "branch" ? row["id"] : null }) as { session: unknown; at?: unknown } },
    column("Messages", "count", "messages"), column("Began", "time", "time"), column("Id", "mono", "id", true),
  ],
  empty: "Nothing was said in this session.",
};

/** Give each node its level and the session that it belongs to. */
function inTree(nodes: Values[]): Values[] {
  const levels = new Map<unknown, number>();
  const root = nodes[0]?.["id"];
  return nodes.map((node) => {
    const level = node["id"] === root ? 0 : (levels.get(node["parent"]) ?? 0) + 1;
    levels.set(node["id"], level);
    return { ...node, level, session: root };
  });
}

const USAGE: TableView = {
  title: "Usage",
  rows: list("rows"),
  columns: [
    { label: "Model", kind: "text", value: (row) => at(row, "keys.model") ?? "unknown" }, { label: "Agent", kind: "mono", value: (row) => at(row, "keys.agent") ?? "" },
    column("Messages", "count", "messages"), column("Input", "count", "input", true), column("Output", "count", "output"), column("Cache write", "count", "cache_write", true), column("Cache read", "count", "cache_read"), column("Cost", "cost", "cost"),
  ],
  empty: "This session used nothing.",
};

/** Return the fields of a document that has one session only. */
function fieldsOf(document: Values): Values[] {
  const sessions = list("sessions")(document);
  if (sessions.length !== 1) return [];
  const groups = Object.entries((sessions[0]?.["groups"] as Record<string, Values> | undefined) ?? {});
  return groups.flatMap(([group, fields]) => Object.entries(fields).map(([field, value]) => ({ group, field, value })));
}

const filters = (params: URLSearchParams) => ({ since: params.get("since"), project: params.get("project") });

/** The tabs of one session. */
export const TABS: Record<string, TablePage> = {
  tree: { title: "Tree", note: "", url: (id) => address(about("tree", id ?? "")), views: [TREE] },
  calls: { title: "Calls", note: "", url: (id, params) => address(about("calls", id ?? ""), { tool: params.get("tool"), errors: params.has("errors"), limit: 500 }), views: [CALLS] },
  usage: { title: "Usage", note: "", url: (id) => address("usage", { session: id, by: "model,agent" }), views: [USAGE] },
};

/** The pages behind More. */
export const TABLES: Record<string, TablePage> = {
  tools: { title: "Tools", note: "calls, errors and times", hasFilters: true, url: (_, params) => address("tools", filters(params)), views: [tool("tools", "Tools"), tool("servers", "MCP servers"), tool("skills", "Skills and commands"), tool("agents", "Agents")] },
  calls: { title: "Calls", note: "the newest 500, each once", url: (_, params) => address("calls", { tool: params.get("tool"), errors: params.has("errors"), limit: 500 }), views: [CALLS] },
  desktop: {
    title: "Desktop", note: "accounts, and who is signed in", url: () => address("accounts"),
    views: [
      { title: "Accounts", rows: list("accounts"), columns: [column("Email", "text", "email"), column("Name", "text", "name", true), column("Sessions", "count", "sessions"), column("Rows", "count", "rows", true), column("Cowork", "count", "cowork", true), { label: "Signed in", kind: "text", value: (row) => (row["current"] as string[] | undefined)?.join(", ") ?? "" }, column("Last", "time", "updated")], empty: "No account is named on this disk." },
      { title: "Signed in", rows: list("signed_in"), columns: [column("Program", "text", "program"), column("Account", "mono", "account"), column("File", "mono", "path", true)], empty: "Nobody is signed in." },
      { title: "Counters", rows: list("counters"), columns: [column("Counter", "text", "name"), column("Values", "value", "values")], empty: "Desktop has no counters." },
    ],
  },
  cowork: {
    title: "Cowork", note: "its sessions and schedules", url: (id) => address(id ? about("cowork", id) : "cowork"),
    views: [
      { title: "Sessions", rows: list("sessions"), columns: [sessionColumn("Title", "row.title", "session"), column("Product", "text", "row.product", true), column("Kind", "text", "row.kind", true), { label: "Outputs", kind: "count", value: (row) => (row["outputs"] as unknown[] | undefined)?.length ?? 0 }, { label: "Uploads", kind: "count", isWide: true, value: (row) => (row["uploads"] as unknown[] | undefined)?.length ?? 0 }, column("Error", "bad", "row.error"), column("Last", "time", "row.active")], empty: "Cowork has left no session here." },
      { title: "Fields", rows: fieldsOf, columns: [column("Group", "text", "group"), column("Field", "mono", "field"), column("Value", "value", "value")], empty: "" },
      { title: "Schedules", rows: list("schedules"), columns: [column("File", "mono", "path"), { label: "Tasks", kind: "value", value: (row) => row["tasks"] }], empty: "There are no scheduled tasks." },
    ],
  },
  storage: { title: "Storage", note: "records of Desktop's pages", url: (_, params) => address("storage", { key: params.get("key"), indexeddb: params.has("indexeddb") }), views: [{ title: "Records", rows: list("records"), columns: [column("Key", "mono", "key"), { label: "Value", kind: "value", value: (row) => row["value"] }, column("Kind", "text", "kind", true), column("State", "text", "state"), column("Size", "bytes", "bytes"), column("Time", "time", "time"), column("Origin", "mono", "origin", true)], empty: "No browser storage was found." }, DAMAGE] },
  worktrees: { title: "Worktrees", note: "as Desktop's registry has them", url: () => address("worktrees"), views: [{ title: "Worktrees", rows: list("worktrees"), columns: [column("Name", "text", "name"), column("Path", "mono", "path"), column("Branch", "mono", "branch"), { label: "State", kind: "bad", value: (row) => (row["exists"] === false ? "gone" : "") }, column("From", "mono", "source_branch", true), column("Created", "time", "created"), { label: "Session", kind: "session", value: (row) => shortId(String(row["session"] ?? "")), link: (row) => ({ session: row["session"] }) }], empty: "Desktop knows no worktree." }, DAMAGE] },
  flags: { title: "Flags", note: "switches of Claude Code", url: (_, params) => address("flags", { prefix: params.get("prefix") }), views: [{ title: "Flags", rows: list("flags"), columns: [column("Name", "mono", "name"), { label: "Value", kind: "value", value: (row) => row["value"] }, column("File", "mono", "path", true)], empty: "No flags were found." }, DAMAGE] },
  drift: {
    title: "Drift", note: "records on this disk against the known formats", url: () => address("drift"),
    views: [
      { title: "Unknown", rows: list("unknown"), columns: [column("Kind", "text", "kind"), column("Type", "mono", "type"), column("Field", "mono", "field"), column("Records", "count", "count"), column("Types", "value", "types", true), column("File", "mono", "place.path", true)], empty: "Every record on this disk has a known shape." },
      { title: "Types", rows: list("types"), columns: [column("Type", "mono", "type"), column("Records", "count", "count"), { label: "Fields", kind: "count", value: (row) => (row["fields"] as unknown[] | undefined)?.length ?? 0 }, { label: "State", kind: "bad", value: (row) => (row["known"] ? "" : "unknown") }], empty: "No record was found." },
      { title: "Checks", rows: list("checks"), columns: [column("Check", "mono", "name"), column("Claim", "text", "claim"), column("Records here", "count", "records")], empty: "Nothing to check." },
      DAMAGE,
    ],
  },
  stores: {
    title: "Stores", note: "the places that were read, and every byte in them", url: () => address("stores"),
    views: [
      { title: "Stores", rows: list("stores"), columns: [column("Kind", "text", "kind"), column("Path", "mono", "path"), column("Files", "count", "files"), column("Size", "bytes", "bytes"), column("Sessions", "count", "sessions"), column("Damaged", "bytes", "damage_bytes", true), { label: "Not read", kind: "count", isWide: true, value: (row) => (row["unread"] as unknown[] | undefined)?.length ?? 0 }], empty: "No store was found." },
      { title: "Looked at", rows: list("looked"), columns: [{ label: "Place", kind: "mono", value: (row) => (typeof row === "string" ? row : (row["path"] ?? JSON.stringify(row))) }, { label: "Found", kind: "text", value: (row) => (row["found"] ? "found" : "") }], empty: "" },
    ],
  },
  doctor: { title: "Doctor", note: "losses and risks", url: () => address("doctor"), views: [{ title: "Findings", rows: list("findings"), columns: [{ label: "Severity", kind: "bad", value: (row) => row["severity"] }, column("Kind", "text", "kind"), { label: "Finding", kind: "text", value: (row) => String(row["text"] ?? "").replaceAll("`", "") }, column("Remedy", "command", "remedy"), { label: "Session", kind: "session", value: (row) => shortId(String(row["session"] ?? "")), link: (row) => ({ session: row["session"] }) }], empty: "Nothing is lost, and nothing is at risk." }] },
  archive: { title: "Archive", note: "our verified copy", url: () => address("archive"), views: [{ title: "Contents", rows: (document) => [document], columns: [column("Path", "mono", "path"), column("Sessions", "count", "sessions"), column("Files", "count", "files"), column("Versions", "count", "versions"), column("Size", "bytes", "bytes"), column("Size of the files", "bytes", "raw_bytes", true), column("Last sync", "time", "synced")], empty: "" }] },
};

