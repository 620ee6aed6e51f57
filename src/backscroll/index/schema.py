"""The tables of the index.

Everything here is derived from the stores and may be deleted at any time.  Another schema version
means a new index, never a migration.

unit     the files of one session, or of one agent, and their digest
standing what was read of a large unit, to read on from there when it has grown
spend    the usage of each API message in each unit
call     each tool call in each unit, without its texts
trace    what each unit's records say about files: keys of contents, and where the contents lie
stated   what a unit's records state about its cost: the program's own sums, and records that cost nothing
said     the identity of each message in each unit
session  what `list` shows, one row per session, ready to be handed out
usage    what each session was the first to spend, summed up by quarters of an hour; and what of it is copied
tool     the calls that each session was the first to make, summed up likewise
fold     earlier copies of a session, and the session that contains them
dirty    sessions whose row must be made anew; kept in step with every change of a unit
store    what was found in each store at the last update
desktop_row  Desktop's rows: as read, and as joined with a session
glance   all that the stores held when everything else here was in step with them, and a number for it
made     when each session was last made anew: the number of that update
changed  when each file was last met changed, where few files were: likewise
marks    what each Desktop remembers of sessions outside their rows: pins, groups, unread marks, panes
"""

VERSION = 13


def glance_beside(*tables: str) -> str:
    """Return the table `glance`, which every change of some other tables empties; see the module of that name."""
    triggers = (
        f"CREATE TRIGGER {table}_{change} AFTER {change} ON {table} BEGIN DELETE FROM glance; END;\n"  # noqa: S608
        for table in tables
        for change in ("INSERT", "UPDATE", "DELETE")
    )
    columns = "number TEXT NOT NULL, files INTEGER NOT NULL, state BLOB NOT NULL, trail BLOB NOT NULL"
    return f"CREATE TABLE glance ({columns});\n" + "".join(triggers)


SCHEMA = f"""
CREATE TABLE unit (
  id INTEGER PRIMARY KEY,
  key BLOB NOT NULL UNIQUE,
  session TEXT NOT NULL,
  agent TEXT,
  kind TEXT NOT NULL,
  store TEXT NOT NULL,
  config TEXT,
  project_key TEXT,
  fingerprint BLOB NOT NULL,
  mtime REAL,
  born TEXT,
  paths TEXT NOT NULL,
  side TEXT NOT NULL,
  digest BLOB NOT NULL
);
CREATE INDEX unit_session ON unit (session);
CREATE INDEX unit_state ON unit (key, fingerprint, session);
CREATE INDEX unit_project ON unit (project_key);

CREATE TABLE standing (unit INTEGER PRIMARY KEY, body BLOB NOT NULL);

CREATE TABLE spend (
  unit INTEGER NOT NULL,
  key BLOB NOT NULL,
  request TEXT,
  time TEXT,
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
  agent TEXT,
  records INTEGER NOT NULL,
  source INTEGER NOT NULL,
  line INTEGER
);
CREATE INDEX spend_key ON spend (key);
CREATE INDEX spend_unit ON spend (unit);

CREATE TABLE call (
  unit INTEGER NOT NULL,
  key BLOB NOT NULL,
  agent TEXT,
  name TEXT NOT NULL,
  target TEXT,
  time TEXT,
  is_copy INTEGER NOT NULL,
  outcome TEXT,
  seconds REAL
);
CREATE INDEX call_key ON call (key);
CREATE INDEX call_unit ON call (unit);

CREATE TABLE trace (
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
  source INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL,
  answer_source INTEGER,
  answer_offset INTEGER,
  answer_length INTEGER,
  before BLOB,
  after BLOB,
  is_created INTEGER NOT NULL,
  other TEXT
);
CREATE INDEX trace_folded ON trace (folded);
CREATE INDEX trace_unit ON trace (unit);
CREATE INDEX trace_renamed ON trace (other) WHERE kind = 'rename';

CREATE TABLE stated (unit INTEGER NOT NULL, synthetic INTEGER NOT NULL, cost REAL, models TEXT);
CREATE INDEX stated_unit ON stated (unit);

CREATE TABLE said (unit INTEGER NOT NULL, key BLOB NOT NULL, last BLOB, role TEXT NOT NULL);
CREATE INDEX said_key ON said (key);
CREATE INDEX said_unit ON said (unit);
CREATE INDEX said_last ON said (last);

CREATE TABLE summary (unit INTEGER NOT NULL, leaf BLOB NOT NULL, text TEXT NOT NULL);
CREATE INDEX summary_leaf ON summary (leaf);
CREATE INDEX summary_unit ON summary (unit);

CREATE TABLE session (
  id TEXT PRIMARY KEY,
  folded_into TEXT,
  updated TEXT,
  state TEXT NOT NULL,
  project TEXT,
  cwd TEXT,
  cwd_source TEXT,
  project_key TEXT,
  account TEXT,
  accounts TEXT NOT NULL,
  parent TEXT,
  messages INTEGER NOT NULL,
  damage INTEGER NOT NULL,
  stores TEXT NOT NULL,
  mtime REAL,
  config TEXT,
  released TEXT,
  body TEXT NOT NULL,
  body_sum INTEGER NOT NULL,
  agents TEXT NOT NULL
);
CREATE INDEX session_updated ON session (updated);
CREATE INDEX session_parent ON session (parent);
CREATE INDEX session_place ON session (project_key, project, cwd, id);

CREATE TABLE usage (
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
CREATE INDEX usage_session ON usage (session);

CREATE TABLE tool (
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
CREATE INDEX tool_session ON tool (session);

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
  names TEXT NOT NULL
);
CREATE INDEX desktop_row_session ON desktop_row (session);
CREATE TABLE marks (path TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, body TEXT NOT NULL, damage TEXT NOT NULL);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE made (session TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE changed (path BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
{glance_beside("unit", "dirty", "store", "desktop_row", "marks")}"""
