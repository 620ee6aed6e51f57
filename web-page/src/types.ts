// Written by scripts/write_web_types.py from docs/json.md: change that page, then run `make docs`.

export interface OverviewAnswer {
  stores: Array<Store>;
  sessions: number;
  latest: Array<Session>;
  expiring: Array<Session>;
}

export interface StoresAnswer {
  stores: Array<Accounted>;
  looked: Array<Placetolook>;
}

export interface StoresLogsAnswer {
  logs: Array<string>;
}

export interface StoresMcpAnswer {
  servers: Array<Server>;
}

export interface ListAnswer {
  total: number;
  sessions: Array<Session>;
  agents?: Record<string, Array<Agent>>;
}

export interface ShowAnswer {
  session: Session;
  branches: Array<Branch>;
  messages: Array<Message>;
  damage: Array<Damage>;
  notes: Array<Damage>;
}

export interface ShowOffsetAnswer {
  session: Session;
  total: number;
  offset: number;
  messages: Array<Message>;
  damage: Array<Damage>;
  agents: Array<Agent>;
}

export interface ShowLogsAnswer {
  session: Session;
  logs: Array<Logline>;
  damage: Array<Damage>;
}

export interface OutlineAnswer {
  session: Session;
  total: number;
  items: Array<Landmark>;
}

export interface ResumeAnswer {
  session: string;
  resume: string | null;
  resume_note: string | null;
}

export interface TreeAnswer {
  session: Session;
  nodes: Array<Node>;
}

export interface SearchAnswer {
  query: string;
  total: number | null;
  hits: Array<Hit>;
  counts?: Array<Day>;
  suggestions: Array<string>;
  is_current: boolean;
}

export interface CallsAnswer {
  calls: Array<Call>;
  total: number;
}

export interface FilesAnswer {
  total: number;
  files: Array<File>;
}

export interface FilesPatchAnswer {
  session: string;
  patch: string;
}

export interface RecoverAnswer {
  path: string;
  versions: Array<Version>;
  candidates: Array<Version>;
  related: Array<string>;
  lost: Array<Place>;
}

export interface RecoverVersionAnswer {
  path: string;
  version: Version;
}

export interface RecoverDiffAnswer {
  path: string;
  diff: string;
}

export interface RecoverGrepAnswer {
  text: string;
  total: number;
  matches: Array<Match>;
}

export interface BlameAnswer {
  path: string;
  version: number;
  lines: Array<Blameline>;
}

export interface RecoverWriteAnswer {
  directory: string | null;
  applied: boolean;
  files: Array<Written>;
}

export interface ShareAnswer {
  file: string | null;
  bytes: number;
  redactions: number;
  rules: Record<string, number>;
  findings: Array<Leftfinding>;
  pages: number;
}

export interface ExportAnswer {
  dir: string;
  sessions: number;
  written: number;
  bytes: number;
  refused: Array<string>;
}

export interface UsageAnswer {
  rows: Array<Usagerow>;
  total: Amount;
  unpriced: Array<Unpriced>;
  by: Array<string>;
  prices: string;
}

export interface UsageAuditAnswer {
  records: number;
  repeated: number;
  copies: number;
  counted: number;
  synthetic: number;
  total: Amount;
  unpriced: Array<Unpriced>;
  copied: Array<Copied>;
  comparisons: Array<Comparison>;
  messages: Array<Audited>;
  uncounted: Array<Damage>;
  doubted: Array<Damage>;
  prices: string;
}

export interface UsageTimelineAnswer {
  session: Session;
  turns: Array<Turn>;
  context: Array<Context>;
  working: number;
  waiting: number;
  tools: number;
}

export interface StatuslineAnswer {
  line: string;
  session: number | null;
  today: number | null;
  block: number | null;
  block_end: string | null;
}

export interface ToolsAnswer {
  tools: Array<Tool>;
  servers: Array<Tool>;
  skills: Array<Tool>;
  agents: Array<Tool>;
  total: Tool;
}

export interface TransferCopyAnswer {
  dropped: Array<string>;
  note: string;
}

export interface TransferLogAnswer {
  id: string;
  time: string;
  command: string;
  steps: number;
  state: string;
}

export interface TransferPackAnswer {
  file: string;
  bytes: number;
  sha256: string;
  files: number;
  sessions: number;
  skipped: Array<unknown>;
}

export interface TransferResumeAnswer {
  command: string | null;
  session: string;
  cwd: string | null;
}

export interface TransferUndoAnswer {
  plan: Array<unknown>;
  applied: unknown;
  journal: string | null;
}

export interface TransferUnpackAnswer {
  manifest: unknown;
  sessions: Array<unknown>;
}

export interface RedactAnswer {
  findings: Array<Secret>;
  redactions: number;
  bytes: number;
}

export interface WorktreesAnswer {
  worktrees: Array<Worktree>;
  damage: Array<Damage>;
}

export interface FlagsAnswer {
  flags: Array<Flag>;
  damage: Array<Damage>;
}

export interface FlagsDiffAnswer {
  flags: Array<Flagchange>;
  damage: Array<Damage>;
}

export interface StorageAnswer {
  records: Array<Stored>;
  damage: Array<Damage>;
}

export interface AccountsAnswer {
  accounts: Array<Account>;
  signed_in: Array<Signedin>;
  agree: boolean | null;
  counters: Array<Counter>;
}

export interface CoworkAnswer {
  sessions: Array<Manifest>;
  schedules: Array<Schedule>;
}

export interface StorageMarksAnswer {
  marks: Array<Marks>;
  damage: Array<Damage>;
}

export interface DoctorAnswer {
  findings: Array<Healthfinding>;
  checked: Checkedamount;
  summary: Healthsummary;
}

export interface DriftAnswer {
  files: number;
  records: number;
  types: Array<Recordtype>;
  unknown: Array<Unknown>;
  checks: Array<Check>;
  damage: Array<Damage>;
}

export interface IndexAnswer {
  files: number;
  read: number;
  skipped: number;
  bytes: number;
  records: number;
  sessions: number;
  damage: number;
  seconds: number;
}

export interface Leftfinding {
  rule: string;
  family: string;
  offset: number;
  line: number;
  sample: string;
  sure: boolean;
}

export interface Healthfinding {
  kind: string;
  severity: string;
  session: string | null;
  place: Place | null;
  text: string;
  remedy: string | null;
}

export interface Checkedamount {
  sessions: number;
  files: number;
  bytes: number;
}

export interface Healthsummary {
  error: number;
  warning: number;
  note: number;
}

export interface Store {
  kind: string;
  path: string;
  files: number;
  bytes: number;
  sessions: number;
  damage: Array<Damage>;
}

export interface Accounted {
  kind: string;
  path: string;
  files: number;
  bytes: number;
  sessions: number;
  damage: Array<Damage>;
  record_bytes: number;
  damage_bytes: number;
  blank_bytes: number;
  unread: Array<Unread>;
  left_alone: Array<Unread>;
}

export interface Unread {
  path: string;
  reason: string;
  bytes: number | null;
}

export interface Session {
  id: string;
  title: string | null;
  project: string | null;
  cwd: string | null;
  stores: Array<string>;
  state: string;
  started: string | null;
  updated: string | null;
  messages: number;
  calls: number;
  agents: number;
  branches: number;
  compactions: number;
  damage: number;
  model: string | null;
  models: Array<string>;
  usage: Usage;
  branch: string | null;
  version: string | null;
  account: string | null;
  rows: Array<Row>;
  parent: string | null;
  transcripts: Array<string>;
  expires: string | null;
  prompts: number;
  copied: number;
  copies: Array<string>;
  title_source: string | null;
  project_source: string | null;
  entrypoint: string | null;
  bytes: number;
  notes: number;
  tag: string | null;
  internal_agents: number;
  project_key: string | null;
  ends_in: string | null;
  open_call: string | null;
  marks: Sessionmarks | null;
  resume: string | null;
  resume_note: string | null;
}

export interface Row {
  id: string;
  product: string;
  kind: string | null;
  held: string | null;
  account: string | null;
  organization: string | null;
  path: string;
  title: string | null;
  title_source: string | null;
  created: string | null;
  active: string | null;
  archived: boolean;
  deleted: string | null;
  model: string | null;
  permission_mode: string | null;
  cwd: string | null;
  origin: string | null;
  worktree: string | null;
  branch: string | null;
  folders: Array<string>;
  error: string | null;
  schedule: string | null;
  lineage: Array<string>;
  names: Array<string>;
  temporary: boolean;
  loads: boolean;
  damage: string | null;
  copies: Array<string>;
}

export interface Sessionmarks {
  pinned: boolean | null;
  pin: number | null;
  group: string | null;
  unread: boolean | null;
  panes: unknown;
  branch_status: unknown;
}

export interface Account {
  id: string;
  email: string | null;
  name: string | null;
  rows: number;
  cowork: number;
  sessions: number;
  current: Array<string>;
  workspaces: Array<Workspace>;
  updated: string | null;
}

export interface Workspace {
  id: string;
  name: string | null;
  rows: number;
  cowork: number;
}

export interface Signedin {
  program: string;
  account: string;
  path: string;
}

export interface Counter {
  name: string;
  path: string;
  values: unknown;
}

export interface Server {
  name: string;
  command: string | null;
  url: string | null;
  env: Array<string>;
  path: string;
}

export interface Manifest {
  session: string;
  row: Row;
  groups: Record<string, Record<string, unknown>>;
  unknown: Array<string>;
  odd: Array<string>;
  outputs: Array<Made>;
  uploads: Array<Made>;
  is_cut: boolean;
  audit: Audit | null;
  damage: Array<Damage>;
}

export interface Made {
  kind: string;
  path: string;
  bytes: number;
  time: string | null;
}

export interface Audit {
  path: string;
  permissions: Array<Permission>;
  runs: Array<Run>;
  damage: Array<Damage>;
}

export interface Permission {
  time: string | null;
  kind: string;
  tool: string | null;
  decision: string | null;
  reason: string | null;
  place: Place;
}

export interface Run {
  time: string | null;
  outcome: string | null;
  cost: number | null;
  turns: number | null;
  milliseconds: number | null;
  place: Place;
}

export interface Logline {
  path: string;
  line: number;
  time: string | null;
  level: string;
  text: string;
  names_session: boolean;
}

export interface Usage {
  input: number | null;
  output: number | null;
  cache_write: number | null;
  cache_read: number | null;
  cost: number | null;
  cache_write_5m: number | null;
  cache_write_1h: number | null;
  messages: number;
  lower_bound: boolean;
  unpriced: Array<string>;
  web_searches: number | null;
}

export interface Amount {
  input: number | null;
  output: number | null;
  cache_write: number | null;
  cache_read: number | null;
  cost: number | null;
  messages: number;
  cache_write_5m: number | null;
  cache_write_1h: number | null;
  web_searches: number | null;
  web_fetches: number | null;
  lower_bound: boolean;
  lower_bound_messages: number;
  lower_bound_output: number;
  unpriced: Array<string>;
  first: string | null;
  last: string | null;
}

export interface Usagerow {
  key: string | null;
  keys: Record<string, unknown>;
  title?: string | null;
  burn?: Burn;
  input: number | null;
  output: number | null;
  cache_write: number | null;
  cache_read: number | null;
  cost: number | null;
  messages: number;
  cache_write_5m: number | null;
  cache_write_1h: number | null;
  web_searches: number | null;
  web_fetches: number | null;
  lower_bound: boolean;
  lower_bound_messages: number;
  lower_bound_output: number;
  unpriced: Array<string>;
  first: string | null;
  last: string | null;
}

export interface Burn {
  start: string;
  end: string;
  active: boolean;
  tokens_per_minute: number | null;
  cost_per_hour: number | null;
  projected_tokens: number | null;
  projected_cost: number | null;
}

export interface Unpriced {
  model: string | null;
  messages: number;
  input: number | null;
  output: number | null;
  cache_write: number | null;
  cache_read: number | null;
}

export interface Copied {
  session: string;
  first_session: string;
  first_transcript: string | null;
  amount: Amount;
}

export interface Comparison {
  session: string;
  source: string;
  recorded: number;
  computed: number | null;
  with_copies: number | null;
  repriced: number | null;
  is_equal: boolean;
  reasons: Array<string>;
  models: Array<Difference>;
}

export interface Difference {
  model: string;
  stated: Amount;
  found: Amount;
}

export interface Audited {
  place: Place;
  model: string | null;
  usage: Amount;
  counted: boolean;
  reason: string;
  records: number;
  first_place: Place | null;
  first_session: string | null;
}

export interface Turn {
  number: number;
  message: string;
  text: string;
  time: string | null;
  first_answer: string | null;
  end: string | null;
  working: number | null;
  waiting: number | null;
  tools: number;
  calls: number;
  errors: number;
  usage: Amount;
  context: number | null;
  branch: string;
  compactions: number;
  copied: number;
}

export interface Context {
  time: string | null;
  message: string;
  tokens: number;
  turn: number;
  is_compaction: boolean;
}

export interface Tool {
  name: string;
  calls: number;
  errors: number;
  sessions: number;
  seconds: number | null;
  refusals: number;
  unanswered: number;
  files: number | null;
  slowest: number | null;
  server: string | null;
}

export interface Placetolook {
  product: string;
  path: string;
  found: boolean;
}

export interface Blameline {
  n: number;
  text: string;
  session: string | null;
  message: string | null;
  time: string | null;
  how: string;
  exact: boolean;
  version: number | null;
}

export interface Stored {
  origin: string | null;
  partition: string | null;
  key: string;
  value: string | null;
  key_utf16?: string;
  value_utf16?: string;
  json?: unknown;
  bytes: number | null;
  sequence: number | null;
  time: string | null;
  exact_time: boolean;
  state: string;
  kind: string;
  database: string | null;
  object_store: string | null;
  withheld: boolean;
  note: string | null;
  place: Place;
}

export interface Marks {
  path: string;
  pinned: Array<string> | null;
  groups: Array<Group> | null;
  unread: Array<string> | null;
  panes: Record<string, unknown> | null;
  current: string | null;
  folder: string | null;
  model: string | null;
  branches: Record<string, unknown> | null;
  sources: Record<string, Marksource>;
}

export interface Group {
  session: string;
  name: string;
  scope: string | null;
}

export interface Marksource {
  key: string;
  kind: string;
  since: string | null;
}

export interface Secret {
  rule: string;
  place: Place;
  sample: string;
  sure: boolean;
}

export interface Worktree {
  name: string;
  path: string;
  branch: string | null;
  base: string | null;
  session: string | null;
  exists: boolean | null;
  row: string | null;
  source_branch: string | null;
  created: string | null;
  status: string | null;
  registry: string;
}

export interface Flag {
  name: string;
  value: unknown;
  path: string;
  others: Array<Otherflag>;
}

export interface Otherflag {
  path: string;
  value: unknown;
}

export interface Flagchange {
  name: string;
  value: unknown;
  other: unknown;
  change: string;
}

export interface Recordtype {
  type: string;
  count: number;
  known: boolean;
  fields: Array<Recordfield>;
  stores: Record<string, number>;
  versions: Record<string, number>;
}

export interface Recordfield {
  name: string;
  count: number;
  types: Record<string, number>;
  known: boolean | null;
  versions: Record<string, number>;
}

export interface Unknown {
  kind: string;
  type: string;
  field: string | null;
  count: number;
  types: Array<string>;
  versions: Array<string>;
  place: Place;
}

export interface Check {
  name: string;
  claim: string;
  records: number;
  fields: Array<Checkedfield>;
}

export interface Checkedfield {
  name: string;
  count: number;
  expected: string;
  required: boolean;
  types: Record<string, number>;
  holds: boolean;
}

export interface Branch {
  name: string;
  messages: number;
  fork: string | null;
  parent: string | null;
  label: string;
  tip: string;
  started: string | null;
  updated: string | null;
}

export interface Message {
  id: string;
  parent: string | null;
  session: string;
  role: string;
  time: string | null;
  model: string | null;
  agent: string | null;
  branch: string;
  parts: Array<Part>;
  usage: Usage | null;
  place: Place;
  message_id: string | null;
  is_typed: boolean;
  copied_from: string | null;
  copies: number;
  marks: Array<string>;
  depth: number;
}

export interface Landmark {
  n: number;
  message: string;
  kind: string;
  label: string;
  time: string | null;
}

export interface Day {
  day: string;
  hits: number;
}

export interface Part {
  kind: string;
  text: string | null;
  id?: unknown;
  name?: unknown;
  input?: unknown;
  error?: boolean;
  detail?: unknown;
  parts?: Array<unknown>;
  media_type?: unknown;
  source?: unknown;
  title?: unknown;
  bytes?: number;
  format?: string;
  address?: string;
  redacted?: boolean;
  spoken?: string;
  repaired?: string;
  type?: unknown;
  raw?: unknown;
  trigger?: unknown;
  tokens_before?: unknown;
}

export interface Schedule {
  account: string | null;
  organization: string | null;
  path: string;
  tasks: unknown;
}

export interface File {
  path: string;
  versions: number;
  first: string | null;
  last: string | null;
  sessions: Array<string>;
  deleted: boolean;
  created: boolean;
  changes: number;
  candidates: number;
  project: string | null;
}

export interface Version {
  n: number;
  time: string | null;
  session: string | null;
  message: string | null;
  call: string | null;
  how: string;
  bytes: number | null;
  sha256: string | null;
  exact: boolean;
  branch: string | null;
  sure: string;
  tool: string | null;
  agent: string | null;
  outside: boolean;
  created: boolean;
  deleted: boolean;
  confirmed: number;
  encoding: string | null;
  newline: string | null;
  place: Place | null;
  missing?: Array<unknown>;
  other?: string;
  why?: string;
}

export interface Match {
  path: string;
  line: number;
  text: string;
  first: Version;
  last: Version;
}

export interface Written {
  path: string;
  target: string | null;
  status: string;
  why: string | null;
  version: Version | null;
}

export interface Call {
  id: string;
  name: string;
  input: unknown;
  result: Result | null;
  session: string;
  message: string;
  agent: string | null;
  started: string | null;
  finished: string | null;
  branch: string;
  started_agent: string | null;
  place: Place | null;
  marks: Array<string>;
  copied_from: string | null;
}

export interface Result {
  text: string | null;
  error: boolean;
  data: unknown;
  persisted: string | null;
}

export interface Agent {
  id: string;
  kind: string;
  type: string | null;
  description: string | null;
  call: string | null;
  joined_by: string | null;
  parent: string | null;
  is_internal: boolean;
  messages: number;
  calls: number;
  transcript: string | null;
  started: string | null;
  updated: string | null;
}

export interface Node {
  id: string;
  parent: string | null;
  kind: string;
  label: string;
  messages: number | null;
  time: string | null;
}

export interface Hit {
  session: string | null;
  message: string | null;
  title: string | null;
  project: string | null;
  role: string;
  kind: string;
  time: string | null;
  snippet: string;
  score: number | null;
  place: Place | null;
  marks: Array<Array<number>>;
  agent: string | null;
  resume: string | null;
  others: number;
  copies: number;
  is_listed: boolean;
  before: Array<Message>;
  after: Array<Message>;
}

export interface Damage {
  place: Place;
  reason: string;
}

export interface Place {
  path: string;
  line: number | null;
  offset: number | null;
  length: number | null;
}
