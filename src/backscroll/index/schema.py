"""The tables of the catalogue.

Everything here is derived from the stores; the user may delete it at any time.  Another schema version means a new
catalogue, never a migration.  Each table is defined once, here or in `session_tables`:

file         a file of a store: its state when we read it, how far we read it, how far the search index has it
unit         the transcripts of one session, or of one agent, and the facts about them as a whole
record       a record of a unit's tree, and its place; `node` numbers the messages of a tree, `agent` its trees
message      a message of a unit; all its copies have the same key
call         a tool call of a unit
usage        the usage of an API message of a unit
change       the statement of a call or record of a unit about a file
evidence     the statements of a unit's records about the agents that it started, and notices
inline       an agent inside a session's own file
aside        a record beside the tree with a text for people
summary      the title that a record gives to the conversation that ends in a record of this id
named_original  a copied record that names its original: the keys of its own id, of its original and of the first
damage       a place that we could not read; a note, if we read it after a repair
session      a conversation: everything that `list` shows of it
agent        an agent of a session, linked to the call that started it
usage_sum    the usage that each session spent first, by quarters of an hour; with `owner` the usage that it copied
tool_sum     the calls that each session made first, by quarters of an hour
fold         an earlier copy of a session, and the session that contains it
dirty        a session whose row must be made again; written with every change of a unit
changed_leaf a record that a summary named or names: its session may have another title now
desktop_row  a row of Desktop: as read, and as joined with a session
marks        Desktop's marks on sessions outside their rows: pins, groups, unread marks, panes
store        the contents of each store at the last update
passage      a searchable text: its key, its file, and whether its document belongs to that file
prompt       a prompt of a session by its letters, to find lines of histories that messages repeat
typed        a line of a history, or a prompt of a global config
renamed      a session whose title, tag and agents are out of date in the search index
meta         single values
"""

from backscroll.index.session_tables import TABLES_OF_SESSIONS

VERSION = 20

TABLES_OF_UNITS = """
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
  is_branched INTEGER NOT NULL,
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
  label TEXT,
  is_copy INTEGER NOT NULL
);
CREATE INDEX message_key ON message (key, unit);
CREATE INDEX message_unit ON message (unit, key);

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
CREATE INDEX call_unit ON call (unit, id);

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
CREATE INDEX change_unit ON change (unit, call);
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
  leaf TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX summary_leaf ON summary (leaf);
CREATE INDEX summary_unit ON summary (unit);

CREATE TABLE named_original (
  unit INTEGER NOT NULL,
  node INTEGER NOT NULL,
  own BLOB NOT NULL,
  origin BLOB NOT NULL,
  root BLOB NOT NULL
);
CREATE INDEX named_original_unit ON named_original (unit);

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

"""
SCHEMA = TABLES_OF_UNITS + TABLES_OF_SESSIONS

UNIT_TABLES = (
    "record",
    "message",
    "call",
    "usage",
    "change",
    "evidence",
    "inline",
    "aside",
    "summary",
    "named_original",
    "damage",
)
"""The tables whose rows belong to a unit."""
INDEXES = [
    statement
    for statement in SCHEMA.split(";\n")
    if statement.strip().startswith("CREATE INDEX") and statement.split(" ON ")[1].split()[0] in ("unit", *UNIT_TABLES)
]
"""The statements that make the indexes of units; the first update is faster without them."""

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
"""The statement that inserts a whole row, for each table."""
DROP_INDEXES = [f"DROP INDEX IF EXISTS {statement.split()[2]}" for statement in INDEXES]
MAKE_INDEXES = [statement.replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS") for statement in INDEXES]
