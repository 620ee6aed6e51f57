"""The tables of the catalogue that are made from the units: sessions and their sums, Desktop's marks, searchable texts.

`schema` explains every table.
"""

TABLES_OF_SESSIONS = """
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
  ends_in TEXT,
  open_call TEXT,
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
CREATE TABLE changed_leaf (id TEXT PRIMARY KEY);
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
  time INTEGER,
  is_copy INTEGER NOT NULL,
  PRIMARY KEY (file, key)
) WITHOUT ROWID;
CREATE INDEX passage_key ON passage (key);
CREATE INDEX passage_copy ON passage (file) WHERE NOT is_kept;
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
