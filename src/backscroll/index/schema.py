"""The tables of the index.

Everything here is derived from the stores and may be deleted at any time.  Another schema version
means a new index, never a migration.

unit     the files of one session, or of one agent, and their digest
spend    the usage of each API message in each unit
said     the identity of each message in each unit
session  what `list` shows, one row per session, ready to be handed out
fold     earlier copies of a session, and the session that contains them
dirty    sessions whose row must be made anew; kept in step with every change of a unit
store    what was found in each store at the last update
"""

VERSION = 1

SCHEMA = """
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
CREATE INDEX unit_project ON unit (project_key);

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
  cost REAL
);
CREATE INDEX spend_key ON spend (key);
CREATE INDEX spend_unit ON spend (unit);

CREATE TABLE said (unit INTEGER NOT NULL, key BLOB NOT NULL, last BLOB, role TEXT NOT NULL);
CREATE INDEX said_key ON said (key);
CREATE INDEX said_unit ON said (unit);
CREATE INDEX said_last ON said (last);

CREATE TABLE summary (unit INTEGER NOT NULL, leaf BLOB NOT NULL, text TEXT NOT NULL);
CREATE INDEX summary_leaf ON summary (leaf);

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
  parent TEXT,
  messages INTEGER NOT NULL,
  damage INTEGER NOT NULL,
  stores TEXT NOT NULL,
  mtime REAL,
  config TEXT,
  released TEXT,
  body TEXT NOT NULL,
  agents TEXT NOT NULL
);
CREATE INDEX session_updated ON session (updated);
CREATE INDEX session_parent ON session (parent);
CREATE INDEX session_project_key ON session (project_key);

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
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT);
"""
