"""The tables of the catalogue.

Everything here is derived from the stores and may be deleted at any time.  Another schema version means a new
catalogue, never a migration.  Each table has one definition, and this is it:

file         a file that a store found: its state when it was taken in, how far it was read, how far its words are in
unit         the transcripts of one session, or of one agent, and all that is known of them as a whole
record       a record of a unit's tree, and where it lies; `node` numbers the messages of a tree, `agent` its trees
message      a message of a unit by the key that copies of it share
call         a tool call of a unit
usage        the usage of an API message of a unit
change       what a call or record of a unit says about a file
evidence     what a unit's records say about the agents that it started, and of notices
inline       an agent inside a session's own file
aside        a record beside the tree that says something to people
summary      the title that a record gives to the conversation that ends in a record of this id
damage       a place that could not be read, or, as a note, was read only after a repair
session      a conversation: all that `list` shows of it
agent        an agent of a session, joined with the call that started it
usage_sum    the usage that each session was the first to spend, by quarters of an hour; with `owner` what it copied
tool_sum     the calls that each session was the first to make, likewise
fold         an earlier copy of a session, and the session that contains it
dirty        a session whose row must be made anew; written with every change of a unit
desktop_row  a row of Desktop: as read, and as joined with a session
marks        what a Desktop remembers of sessions outside their rows: pins, groups, unread marks, panes
store        what was found in each store at the last update
passage      something that a search finds: its key, its file, and whether the words are kept for that file
prompt       a prompt of a session by its letters, to know which lines of histories messages hold
typed        a line of a history, or a prompt of a global config
renamed      a session whose title, tag and agents the words have not taken in as they are now
meta         single values
"""

VERSION = 14

SCHEMA = """
CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path BLOB NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  config TEXT,
  session TEXT,
  size INTEGER,
  mtime INTEGER,
  ctime INTEGER,
  inode INTEGER,
  device INTEGER,
  looked INTEGER,
  unit INTEGER,
  number INTEGER,
  end INTEGER,
  checks BLOB,
  words INTEGER
);
CREATE INDEX file_unit ON file (unit);
CREATE INDEX file_words ON file (kind) WHERE words IS NULL;

CREATE TABLE unit (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  session TEXT NOT NULL,
  agent TEXT,
  kind TEXT NOT NULL,
  store TEXT NOT NULL,
  config TEXT,
  project_key TEXT,
  side TEXT NOT NULL,
  mtime REAL,
  bytes INTEGER NOT NULL,
  record_bytes INTEGER NOT NULL,
  damage_bytes INTEGER NOT NULL,
  blank_bytes INTEGER NOT NULL,
  records INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  prompts INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  branches INTEGER NOT NULL,
  compactions INTEGER NOT NULL,
  synthetic INTEGER NOT NULL,
  started TEXT,
  updated TEXT,
  born TEXT,
  version TEXT,
  git_branch TEXT,
  entrypoint TEXT,
  custom_title TEXT,
  ai_title TEXT,
  agent_name TEXT,
  last_prompt TEXT,
  first_prompt TEXT,
  own_summary TEXT,
  tag TEXT,
  relocated TEXT,
  worktree_of TEXT,
  account TEXT,
  named_session TEXT,
  forked_from TEXT,
  first_text BLOB,
  is_internal INTEGER NOT NULL,
  cwds TEXT NOT NULL,
  models TEXT NOT NULL,
  cost REAL,
  cost_models TEXT,
  tail BLOB
);
CREATE INDEX unit_session ON unit (session);
CREATE INDEX unit_project ON unit (project_key);

CREATE TABLE record (
  unit INTEGER NOT NULL,
  agent TEXT NOT NULL,
  node INTEGER NOT NULL,
  part INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  kind TEXT NOT NULL,
  branch TEXT NOT NULL,
  marks TEXT,
  is_repeat INTEGER NOT NULL,
  id TEXT,
  time TEXT,
  file INTEGER NOT NULL,
  line INTEGER,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  PRIMARY KEY (unit, agent, node, part)
) WITHOUT ROWID;

CREATE TABLE message (
  unit INTEGER NOT NULL,
  node INTEGER NOT NULL,
  key BLOB NOT NULL,
  last BLOB,
  kind TEXT NOT NULL,
  text BLOB,
  label TEXT
);
CREATE INDEX message_key ON message (key);
CREATE INDEX message_unit ON message (unit);
CREATE INDEX message_last ON message (last);

CREATE TABLE call (
  unit INTEGER NOT NULL,
  key BLOB NOT NULL,
  id TEXT NOT NULL,
  agent TEXT,
  node INTEGER NOT NULL,
  name TEXT NOT NULL,
  target TEXT,
  time TEXT,
  quarter INTEGER,
  is_copy INTEGER NOT NULL,
  outcome TEXT,
  seconds REAL,
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  answer_file INTEGER,
  answer_offset INTEGER,
  answer_length INTEGER
);
CREATE INDEX call_key ON call (key);
CREATE INDEX call_unit ON call (unit);

CREATE TABLE usage (
  unit INTEGER NOT NULL,
  key BLOB NOT NULL,
  request TEXT,
  agent TEXT,
  time TEXT,
  quarter INTEGER,
  is_copy INTEGER NOT NULL,
  model TEXT,
  input INTEGER,
  output INTEGER,
  cache_write INTEGER,
  cache_read INTEGER,
  cache_write_5m INTEGER,
  cache_write_1h INTEGER,
  is_lower_bound INTEGER NOT NULL,
  cost REAL,
  web_searches INTEGER,
  web_fetches INTEGER,
  tier TEXT,
  speed TEXT,
  geo TEXT,
  branch TEXT,
  context INTEGER NOT NULL,
  records INTEGER NOT NULL,
  file INTEGER NOT NULL,
  line INTEGER
);
CREATE INDEX usage_key ON usage (key);
CREATE INDEX usage_unit ON usage (unit);

CREATE TABLE change (
  unit INTEGER NOT NULL,
  key BLOB NOT NULL,
  agent TEXT,
  path TEXT NOT NULL,
  folded TEXT NOT NULL,
  kind TEXT NOT NULL,
  tool TEXT,
  time TEXT,
  is_copy INTEGER NOT NULL,
  outcome TEXT,
  call TEXT,
  message TEXT,
  branch TEXT NOT NULL,
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  answer_file INTEGER,
  answer_offset INTEGER,
  answer_length INTEGER,
  before BLOB,
  after BLOB,
  is_created INTEGER NOT NULL,
  other TEXT
);
CREATE INDEX change_folded ON change (folded);
CREATE INDEX change_unit ON change (unit);
CREATE INDEX change_renamed ON change (other) WHERE kind = 'rename';

CREATE TABLE evidence (
  unit INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  call TEXT,
  prompt BLOB,
  description TEXT,
  type TEXT,
  time TEXT
);
CREATE INDEX evidence_unit ON evidence (unit);

CREATE TABLE inline (
  unit INTEGER NOT NULL,
  id TEXT NOT NULL,
  messages INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  started TEXT,
  updated TEXT,
  first_text BLOB,
  is_internal INTEGER NOT NULL
);
CREATE INDEX inline_unit ON inline (unit);

CREATE TABLE aside (
  unit INTEGER NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  key BLOB,
  opening TEXT NOT NULL,
  time TEXT,
  session TEXT,
  file INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  line INTEGER
);
CREATE INDEX aside_unit ON aside (unit);

CREATE TABLE summary (
  unit INTEGER NOT NULL,
  leaf BLOB NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX summary_leaf ON summary (leaf);
CREATE INDEX summary_unit ON summary (unit);

CREATE TABLE damage (
  unit INTEGER NOT NULL,
  path BLOB NOT NULL,
  line INTEGER,
  offset INTEGER,
  length INTEGER,
  reason TEXT NOT NULL,
  is_note INTEGER NOT NULL
);
CREATE INDEX damage_unit ON damage (unit);

CREATE TABLE session (
  id TEXT PRIMARY KEY,
  folded_into TEXT,
  title TEXT,
  title_source TEXT,
  project TEXT,
  cwd TEXT,
  project_source TEXT,
  own_project TEXT,
  own_cwd TEXT,
  own_project_source TEXT,
  project_key TEXT,
  stores TEXT NOT NULL,
  state TEXT NOT NULL,
  started TEXT,
  updated TEXT,
  messages INTEGER NOT NULL,
  prompts INTEGER NOT NULL,
  copied INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  agents INTEGER NOT NULL,
  internal_agents INTEGER NOT NULL,
  branches INTEGER NOT NULL,
  compactions INTEGER NOT NULL,
  damage INTEGER NOT NULL,
  notes INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  model TEXT,
  models TEXT NOT NULL,
  branch TEXT,
  version TEXT,
  entrypoint TEXT,
  tag TEXT,
  account TEXT,
  accounts TEXT NOT NULL,
  parent TEXT,
  copies TEXT NOT NULL,
  transcripts TEXT NOT NULL,
  usage TEXT NOT NULL,
  mtime REAL,
  config TEXT,
  released TEXT,
  check_sum INTEGER NOT NULL
);
CREATE INDEX session_updated ON session (updated);
CREATE INDEX session_parent ON session (parent);
CREATE INDEX session_place ON session (project_key, project, cwd, id);

CREATE TABLE agent (
  session TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  type TEXT,
  description TEXT,
  call TEXT,
  joined_by TEXT,
  parent TEXT,
  is_internal INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  transcript BLOB,
  started TEXT,
  updated TEXT,
  PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE INDEX agent_id ON agent (session, id);

CREATE TABLE usage_sum (
  session TEXT NOT NULL,
  owner TEXT,
  agent TEXT,
  agent_type TEXT,
  branch TEXT,
  quarter INTEGER,
  model TEXT,
  tier TEXT,
  speed TEXT,
  geo TEXT,
  context INTEGER NOT NULL,
  is_lower_bound INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  input INTEGER,
  output INTEGER,
  cache_write INTEGER,
  cache_read INTEGER,
  cache_write_5m INTEGER,
  cache_write_1h INTEGER,
  web_searches INTEGER,
  web_fetches INTEGER,
  recorded REAL,
  recorded_messages INTEGER NOT NULL,
  first TEXT,
  last TEXT
);
CREATE INDEX usage_sum_session ON usage_sum (session);

CREATE TABLE tool_sum (
  session TEXT NOT NULL,
  agent TEXT,
  quarter INTEGER,
  name TEXT NOT NULL,
  target TEXT,
  calls INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  unanswered INTEGER NOT NULL,
  timed INTEGER NOT NULL,
  seconds REAL NOT NULL,
  slowest REAL NOT NULL
);
CREATE INDEX tool_sum_session ON tool_sum (session);

CREATE TABLE fold (id TEXT PRIMARY KEY, target TEXT NOT NULL);
CREATE INDEX fold_target ON fold (target);
CREATE TABLE dirty (session TEXT PRIMARY KEY);
CREATE TABLE store (
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sessions INTEGER NOT NULL,
  damage TEXT NOT NULL
);
CREATE TABLE desktop_row (
  path BLOB PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  read TEXT NOT NULL,
  person TEXT NOT NULL,
  session TEXT,
  body TEXT NOT NULL,
  names TEXT NOT NULL,
  words TEXT
);
CREATE INDEX desktop_row_session ON desktop_row (session);
CREATE TABLE marks (path TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, body TEXT NOT NULL, damage TEXT NOT NULL);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE renamed (session TEXT PRIMARY KEY);

CREATE TABLE passage (
  file INTEGER NOT NULL,
  key INTEGER NOT NULL,
  place INTEGER,
  is_kept INTEGER NOT NULL,
  PRIMARY KEY (file, key)
) WITHOUT ROWID;
CREATE INDEX passage_key ON passage (key);
CREATE TABLE prompt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  said INTEGER NOT NULL,
  session TEXT,
  file INTEGER NOT NULL,
  key INTEGER NOT NULL,
  time INTEGER
);
CREATE INDEX prompt_said ON prompt (said);
CREATE INDEX prompt_file ON prompt (file);
CREATE TABLE typed (
  file INTEGER NOT NULL,
  place INTEGER NOT NULL,
  line INTEGER,
  length INTEGER NOT NULL,
  said INTEGER NOT NULL,
  session TEXT,
  project TEXT,
  time INTEGER,
  is_slight INTEGER NOT NULL,
  PRIMARY KEY (file, place)
) WITHOUT ROWID;
CREATE INDEX typed_said ON typed (said);
"""

_OF_UNITS = ("record", "message", "call", "usage", "change", "evidence", "inline", "aside", "summary", "damage")
INDEXES = [
    statement
    for statement in SCHEMA.split(";\n")
    if statement.strip().startswith("CREATE INDEX") and statement.split(" ON ")[1].split()[0] in _OF_UNITS
]
"""The statements that make the indexes of the rows of units: a first filling is faster without them."""

COLUMNS = {
    table.split(" ", 1)[0]: [
        line.split()[0]
        for line in table.split("(\n", 1)[1].split("\n)")[0].split("\n")
        if not line.strip().startswith("PRIMARY")
    ]
    for table in SCHEMA.split("CREATE TABLE ")[1:]
    if "(\n" in table.split(";\n")[0]
}
"""The columns of each table, in their order."""


INSERT = {table: f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})" for table, columns in COLUMNS.items()}
"""The statements that insert a whole row into each table."""
DROP_INDEXES = [f"DROP INDEX IF EXISTS {statement.split()[2]}" for statement in INDEXES]
MAKE_INDEXES = [statement.replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS") for statement in INDEXES]
