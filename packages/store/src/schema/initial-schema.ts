import type { Migration } from "./migration.ts";

/** The first version of the schema. It is never changed: later versions are in `migrations.ts`. */
export const initialSchema: Migration = {
  version: 1,
  statements: [
    `CREATE TABLE runs (
      n INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      owner TEXT NOT NULL,
      session_id TEXT NOT NULL,
      conversation_id TEXT,
      parent_id TEXT,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      epoch BIGINT NOT NULL,
      stored SMALLINT NOT NULL,
      model TEXT NOT NULL,
      title TEXT,
      base_manifest TEXT,
      manifest TEXT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      ended_at BIGINT
    )`,
    "CREATE INDEX runs_of_conversation ON runs (conversation_id, n) WHERE conversation_id IS NOT NULL",
    "CREATE INDEX runs_of_parent ON runs (parent_id, n) WHERE parent_id IS NOT NULL",
    "CREATE INDEX runs_of_session ON runs (session_id, n)",
    "CREATE INDEX runs_unfinished ON runs (status, n) WHERE ended_at IS NULL",

    // Not in `runs`, whose rows change often and must stay small.
    "CREATE TABLE run_requests (run_n BIGINT PRIMARY KEY, owner TEXT NOT NULL, request TEXT NOT NULL, input TEXT NOT NULL)",
    "CREATE TABLE run_results (run_n BIGINT PRIMARY KEY, owner TEXT NOT NULL, result TEXT NOT NULL)",

    // `cuts` and `from_seq` describe the deltas whose text `data` holds, and the number of the
    // first one.
    `CREATE TABLE run_events (
      run_n BIGINT NOT NULL,
      seq BIGINT NOT NULL,
      owner TEXT NOT NULL,
      type TEXT NOT NULL,
      from_seq BIGINT,
      cuts TEXT,
      data TEXT NOT NULL,
      PRIMARY KEY (run_n, seq)
    )`,
    "CREATE INDEX run_events_with_deltas ON run_events (run_n, from_seq, seq) WHERE from_seq IS NOT NULL",

    // Deltas of unfinished items. `prev` is the item's previous delta, for reading backwards.
    // On PostgreSQL an index on the run finds them, because an additional index is cheap there.
    {
      sqlite: `CREATE TABLE tail (
        n INTEGER PRIMARY KEY,
        run_n BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        owner TEXT NOT NULL,
        item_id TEXT NOT NULL,
        prev BIGINT,
        delta TEXT NOT NULL
      )`,
      postgres: `CREATE TABLE tail (
        run_n BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        owner TEXT NOT NULL,
        item_id TEXT NOT NULL,
        delta TEXT NOT NULL,
        PRIMARY KEY (run_n, seq)
      )`,
    },

    `CREATE TABLE run_messages (
      run_n BIGINT NOT NULL,
      n BIGINT NOT NULL,
      owner TEXT NOT NULL,
      round BIGINT NOT NULL,
      message TEXT NOT NULL,
      PRIMARY KEY (run_n, n)
    )`,
    `CREATE TABLE run_calls (
      run_n BIGINT NOT NULL,
      call_id TEXT NOT NULL,
      n BIGINT NOT NULL,
      owner TEXT NOT NULL,
      status TEXT NOT NULL,
      updated_at BIGINT NOT NULL,
      record TEXT NOT NULL,
      PRIMARY KEY (run_n, call_id)
    )`,
    "CREATE INDEX run_calls_by_id ON run_calls (owner, call_id, run_n)",

    `CREATE TABLE items (
      run_n BIGINT NOT NULL,
      direction TEXT NOT NULL,
      n BIGINT NOT NULL,
      owner TEXT NOT NULL,
      id TEXT NOT NULL,
      call_id TEXT,
      item TEXT NOT NULL,
      PRIMARY KEY (run_n, direction, n)
    )`,
    "CREATE INDEX items_by_id ON items (owner, id, run_n)",
    "CREATE INDEX items_by_call ON items (owner, call_id, run_n) WHERE call_id IS NOT NULL",

    // Values and manifests are stored once per session, under their digest.
    `CREATE TABLE variable_values (
      owner TEXT NOT NULL,
      digest TEXT NOT NULL,
      session_id TEXT NOT NULL,
      bytes BIGINT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (owner, digest, session_id)
    )`,
    "CREATE INDEX variable_values_of_session ON variable_values (session_id)",
    `CREATE TABLE manifests (
      session_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      owner TEXT NOT NULL,
      entries TEXT NOT NULL,
      PRIMARY KEY (session_id, digest)
    )`,
    // Changes since the run began; a null entry removes a variable. They become a manifest when
    // the run ends.
    `CREATE TABLE run_variables (
      run_n BIGINT NOT NULL,
      n BIGINT NOT NULL,
      owner TEXT NOT NULL,
      name TEXT NOT NULL,
      entry TEXT,
      PRIMARY KEY (run_n, n)
    )`,

    `CREATE TABLE approvals (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      run_n BIGINT NOT NULL,
      call_id TEXT NOT NULL,
      status TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      answered_at BIGINT,
      answer TEXT,
      request TEXT NOT NULL
    )`,
    "CREATE INDEX approvals_of_owner ON approvals (owner, created_at, id)",
    "CREATE INDEX approvals_of_run ON approvals (run_n)",
    "CREATE INDEX approvals_pending ON approvals (expires_at) WHERE status = 'pending'",

    `CREATE TABLE grants (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      session_id TEXT,
      tool_id TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      revoked_at BIGINT,
      data TEXT NOT NULL
    )`,
    "CREATE INDEX grants_of_owner ON grants (owner, created_at, id)",
    "CREATE INDEX grants_of_session ON grants (session_id) WHERE session_id IS NOT NULL",

    `CREATE TABLE conversations (
      id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      title TEXT NOT NULL,
      metadata TEXT NOT NULL,
      switches TEXT NOT NULL,
      head_run_id TEXT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    "CREATE INDEX conversations_of_owner ON conversations (owner, updated_at, id)",
  ],
};
