import { findUnmoved } from "./move-inputs.ts";
import { initialSchema } from "./initial-schema.ts";
import type { Migration } from "./migration.ts";
import { latestMs, perMs } from "../sql/creation-sequence.ts";
import { addChecksum, addColumn, addSequence } from "./add-columns.ts";
import { checkedTables } from "./row-checksums.ts";
import type { RowTable } from "../sql/tables.ts";

const sequencedTables = ["approvals", "grants", "overrides"] as const;

/** Tables that were added after step 16, which gave all others a checksum. */
const laterTables: readonly RowTable[] = [
  "request_keys",
  "agents",
  "files",
  "uploads",
  "upload_parts",
  "thread_objects",
  "run_files",
  "completions",
  "search_objects",
  "search_chunks",
  "run_words",
  "hidden_chunks",
  "run_usage",
  "connections",
  "credentials",
  "webhook_messages",
  "shares",
];

/**
 * The schema, as numbered steps. A released step is never changed: later changes are new steps.
 * Times are ms since the epoch. JSON is stored as text, because its escapes preserve any string,
 * even a lone surrogate or a NUL.
 *
 * `runs.n` is the short, increasing key that the tables of a run use. A commit over 500 runs takes
 * 14 ms with random ids in the indexes, and 2 ms with this key.
 */
export const migrations: readonly Migration[] = [
  initialSchema,
  {
    version: 2,
    statements: [
      // `execution` asks whether a call may run, `result` whether its result may be read.
      "ALTER TABLE approvals ADD COLUMN kind TEXT NOT NULL DEFAULT 'execution'",
      // Results in quarantine, which only their reviewer can read: a `result` by its approval, and
      // the `answer` until it is carried out. Deleted rows are overwritten: see `quarantine.ts`.
      `CREATE TABLE quarantine (
        id TEXT NOT NULL,
        part TEXT NOT NULL,
        owner TEXT NOT NULL,
        run_n BIGINT NOT NULL,
        data TEXT NOT NULL,
        PRIMARY KEY (id, part)
      )`,
      "CREATE INDEX quarantine_of_run ON quarantine (run_n)",
    ],
  },
  {
    version: 3,
    statements: [
      // Each user's own rules, at most one for the same tool and conditions.
      `CREATE TABLE overrides (
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        rule TEXT NOT NULL,
        PRIMARY KEY (owner, id)
      )`,
    ],
  },
  {
    version: 4,
    statements: [
      // How often the variables were changed from outside the loop. A process that caches a run
      // compares it.
      "ALTER TABLE runs ADD COLUMN edits BIGINT NOT NULL DEFAULT 0",
    ],
  },
  {
    version: 5,
    statements: [
      "CREATE INDEX runs_of_owner ON runs (owner, n)",
      // Outputs that clients submitted for their own calls: the first output of each call is final.
      // The text stays until the call is settled with it. The digest is kept permanently, to
      // recognize a repeated output.
      `CREATE TABLE client_outputs (
        run_n BIGINT NOT NULL,
        call_id TEXT NOT NULL,
        owner TEXT NOT NULL,
        digest TEXT NOT NULL,
        output TEXT,
        submitted_at BIGINT NOT NULL,
        PRIMARY KEY (run_n, call_id)
      )`,
    ],
  },
  {
    version: 6,
    statements: [
      // The numbers of a run that the database must find by key, because SQLite's tail has no
      // index.
      {
        sqlite: "CREATE VIEW stored_seqs AS SELECT run_n, seq FROM run_events",
        postgres:
          "CREATE VIEW stored_seqs AS SELECT run_n, seq FROM run_events UNION ALL SELECT run_n, seq FROM tail",
      },
      // With several writers, the database assigns run numbers, and each writer stores its
      // progress.
      { postgres: "CREATE SEQUENCE run_numbers" },
      { postgres: "CREATE TABLE writers (id TEXT PRIMARY KEY, batch BIGINT NOT NULL)" },
    ],
  },
  {
    version: 7,
    statements: [
      // The node that owns a run in progress. SQLite has only one process.
      "ALTER TABLE runs ADD COLUMN node TEXT",
      // Nodes count heartbeats instead of comparing times, because their clocks differ and can be
      // changed.
      "CREATE TABLE nodes (id TEXT PRIMARY KEY, url TEXT, beats BIGINT NOT NULL)",
    ],
  },
  {
    version: 8,
    statements: [
      // Finds expired grants without reading valid ones.
      "CREATE INDEX grants_expiring ON grants (expires_at) WHERE expires_at IS NOT NULL",
      "CREATE INDEX grants_revoked ON grants (revoked_at) WHERE revoked_at IS NOT NULL",
    ],
  },
  {
    version: 9,
    statements: [
      // The number of answers while the run was active, read when it suspends.
      "ALTER TABLE runs ADD COLUMN answers BIGINT NOT NULL DEFAULT 0",
    ],
  },
  {
    version: 10,
    statements: [
      // A row holds the changes of one commit, `[[name, entry], …]`; small values are in their
      // entries.
      {
        sqlite: `CREATE TABLE changed_variables AS SELECT run_n, n, owner,
          '[[' || json_quote(name) || ',' || COALESCE(entry, 'null') || ']]' AS changes FROM run_variables`,
        postgres: `CREATE TABLE changed_variables AS SELECT run_n, n, owner,
          '[[' || to_json(name)::text || ',' || COALESCE(entry, 'null') || ']]' AS changes FROM run_variables`,
      },
      "DROP TABLE run_variables",
      `CREATE TABLE run_variables (
        run_n BIGINT NOT NULL,
        n BIGINT NOT NULL,
        owner TEXT NOT NULL,
        changes TEXT NOT NULL,
        PRIMARY KEY (run_n, n)
      )`,
      "INSERT INTO run_variables SELECT run_n, n, owner, changes FROM changed_variables",
      "DROP TABLE changed_variables",
    ],
  },
  {
    version: 11,
    statements: [
      // PostgreSQL keeps both versions of an updated row for a while. If the page has space for the
      // second version, no index is updated. A call is written twice or more, a result once for
      // each suspension.
      { postgres: "ALTER TABLE run_calls SET (fillfactor = 45)" },
      { postgres: "ALTER TABLE run_results SET (fillfactor = 45)" },
    ],
  },
  {
    version: 12,
    statements: [
      // These rows are few, and are searched across all runs of an owner. PostgreSQL would update
      // such an index with every change of a call, so there it searches the owner's calls instead.
      {
        sqlite:
          "CREATE INDEX run_calls_unknown ON run_calls (owner, run_n) WHERE status = 'outcome_unknown'",
      },
    ],
  },
  {
    version: 13,
    statements: [
      // A row of several events has its own layout (`event-layout.ts`) and is found by its last
      // number only.
      {
        sqlite: `UPDATE run_events SET from_seq = NULL, data = json_extract(data, '$.events'), cuts =
          (SELECT '#' || group_concat((a.value + 1 - from_seq) || '+' || (b.value - a.value - 1), ' ')
           FROM json_each(data, '$.seqs') a JOIN json_each(data, '$.seqs') b ON b.key = a.key + 1
           WHERE b.value - a.value > 1)
          WHERE type = 'events'`,
        // Without PostgreSQL's JSON functions, because they reject an escaped NUL.
        postgres: `UPDATE run_events e SET from_seq = NULL,
            data = left(substr(data, position(',"events":' in data) + 10), -1),
            cuts = (WITH seqs (value, key) AS (
                SELECT value::bigint, key
                FROM unnest(string_to_array(substr(e.data, 10, position(']' in e.data) - 10), ','))
                  WITH ORDINALITY AS t (value, key))
              SELECT '#' || string_agg((a.value + 1 - e.from_seq) || '+' || (b.value - a.value - 1), ' ')
              FROM seqs a JOIN seqs b ON b.key = a.key + 1 WHERE b.value - a.value > 1)
          WHERE type = 'events'`,
      },
    ],
  },
  {
    version: 14,
    statements: [
      // A commit is one row with all its contents, under the number of its last event. A commit
      // without events has the number of the event before it and counts up `nth`; its `type` and
      // `events` are null.
      `CREATE TABLE run_journal (
        run_n BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        nth BIGINT NOT NULL,
        owner TEXT NOT NULL,
        at BIGINT NOT NULL,
        type TEXT,
        from_seq BIGINT,
        cuts TEXT,
        events TEXT,
        messages TEXT,
        calls TEXT,
        PRIMARY KEY (run_n, seq, nth)
      )`,
      `INSERT INTO run_journal (run_n, seq, nth, owner, at, type, from_seq, cuts, events)
        SELECT e.run_n, e.seq, 0, e.owner, COALESCE(r.updated_at, 0), e.type, e.from_seq, e.cuts, e.data
        FROM run_events e LEFT JOIN runs r ON r.n = e.run_n`,
      // Messages and calls that had separate rows follow all events: messages at odd `nth`, calls
      // at even ones.
      `INSERT INTO run_journal (run_n, seq, nth, owner, at, messages)
        SELECT m.run_n, COALESCE((SELECT MAX(e.seq) FROM run_events e WHERE e.run_n = m.run_n), 0),
          2 * m.n - 1, m.owner, COALESCE(r.updated_at, 0), '[' || m.message || ']'
        FROM run_messages m LEFT JOIN runs r ON r.n = m.run_n`,
      `INSERT INTO run_journal (run_n, seq, nth, owner, at, calls)
        SELECT c.run_n, COALESCE((SELECT MAX(e.seq) FROM run_events e WHERE e.run_n = c.run_n), 0),
          2 * c.n, c.owner, c.updated_at, '[' || c.record || ']'
        FROM run_calls c`,
      "CREATE INDEX run_journal_with_deltas ON run_journal (run_n, from_seq, seq) WHERE from_seq IS NOT NULL",

      // Calls that requests can name: a client's own, and calls whose outcome a user can report.
      // This is an index; the journal holds the calls.
      `CREATE TABLE answerable_calls (
        run_n BIGINT NOT NULL,
        call_id TEXT NOT NULL,
        answered_by TEXT NOT NULL,
        owner TEXT NOT NULL,
        PRIMARY KEY (run_n, call_id, answered_by)
      )`,
      "CREATE INDEX answerable_calls_by_id ON answerable_calls (owner, call_id, run_n)",
      "CREATE INDEX answerable_calls_by_people ON answerable_calls (owner, run_n) WHERE answered_by = 'person'",
      // An argument that only looks like a client's call adds a harmless row.
      `INSERT INTO answerable_calls (run_n, call_id, answered_by, owner)
        SELECT run_n, call_id, 'client', owner FROM run_calls WHERE record LIKE '%"owner":"client"%'
        UNION ALL SELECT run_n, call_id, 'person', owner FROM run_calls WHERE status = 'outcome_unknown'`,

      "DROP VIEW stored_seqs",
      "DROP TABLE run_events",
      "DROP TABLE run_messages",
      "DROP TABLE run_calls",
      {
        sqlite: "CREATE VIEW stored_seqs AS SELECT run_n, seq FROM run_journal",
        postgres:
          "CREATE VIEW stored_seqs AS SELECT run_n, seq FROM run_journal UNION ALL SELECT run_n, seq FROM tail",
      },
    ],
  },
  {
    version: 15,
    statements: [
      // Long inputs are blobs, and `input` is then the preview that lists show. Long answers are
      // read separately.
      "ALTER TABLE run_requests ADD COLUMN full_input TEXT",
      "ALTER TABLE run_results ADD COLUMN replay TEXT",
      `CREATE TABLE run_blobs (
        run_n BIGINT NOT NULL,
        sha256 TEXT NOT NULL,
        owner TEXT NOT NULL,
        size BIGINT NOT NULL,
        PRIMARY KEY (run_n, sha256)
      )`,
      "CREATE INDEX run_blobs_by_hash ON run_blobs (sha256, owner)",
      // Runs of earlier versions whose long inputs `moveInputs` has not moved yet.
      "CREATE TABLE unmoved_runs (run_n BIGINT PRIMARY KEY)",
      findUnmoved,
      // In SQLite's data directory blobs are files.
      {
        postgres:
          "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, bytes BIGINT NOT NULL, used_at TIMESTAMPTZ NOT NULL)",
      },
      {
        postgres: `CREATE TABLE blob_pieces (
          sha256 TEXT NOT NULL,
          n BIGINT NOT NULL,
          piece BYTEA NOT NULL,
          PRIMARY KEY (sha256, n)
        )`,
      },
      { postgres: "ALTER TABLE blob_pieces ALTER COLUMN piece SET STORAGE EXTERNAL" },
    ],
  },
  {
    version: 16,
    statements: [
      // SQLite's writer computes the checksums of new rows, and `fillChecksums` those of old rows.
      { sqlite: "CREATE TABLE unchecked_tables (name TEXT PRIMARY KEY)" },
      // An update computes the checksum again, so `is_damaged` records that it did not match
      // before.
      {
        postgres: `CREATE FUNCTION mark_damaged() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN NEW.is_damaged := TRUE; RETURN NEW; END $$`,
      },
      ...checkedTables
        .filter((table) => !laterTables.includes(table))
        .flatMap((table) => [
          ...addChecksum(table),
          { sqlite: `INSERT INTO unchecked_tables (name) VALUES ('${table}')` },
        ]),
    ],
  },
  {
    version: 17,
    statements: [
      // Requests with an idempotency key: the resource that each created, or its response.
      `CREATE TABLE request_keys (
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        digest TEXT NOT NULL,
        resource_id TEXT,
        response TEXT,
        expires_at BIGINT NOT NULL,
        PRIMARY KEY (owner, id)
      )`,
      "CREATE INDEX request_keys_by_expiry ON request_keys (expires_at)",
      "CREATE INDEX request_keys_by_resource ON request_keys (resource_id) WHERE resource_id IS NOT NULL",
      ...addChecksum("request_keys"),
    ],
  },
  {
    version: 18,
    statements: [
      // The order of creation, which does not depend on a clock that jumps
      // (`creation-sequence.ts`).
      { postgres: "CREATE SEQUENCE creation_sequence" },
      {
        // The session's lock is released before the commit, so a transaction does not wait here for
        // another's commit.
        postgres: `CREATE FUNCTION set_created_seq() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            PERFORM pg_advisory_lock(7215034883);
            NEW.created_seq := setval('creation_sequence',
              greatest(nextval('creation_sequence'), least(NEW.created_at, ${latestMs}) * ${perMs}));
            PERFORM pg_advisory_unlock(7215034883);
            RETURN NEW;
          END $$`,
      },
      ...sequencedTables.flatMap(addSequence),
      {
        postgres: `SELECT setval('creation_sequence', 1 + greatest(${sequencedTables
          .map((table) => `(SELECT COALESCE(MAX(created_seq), 0) FROM ${table})`)
          .join(", ")}))`,
      },
      "DROP INDEX approvals_of_owner",
      "CREATE INDEX approvals_of_owner ON approvals (owner, created_seq, id)",
      "DROP INDEX grants_of_owner",
      "CREATE INDEX grants_of_owner ON grants (owner, created_seq, id)",
    ],
  },
  {
    version: 19,
    statements: [
      // Each user's own agents.
      `CREATE TABLE agents (
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        agent TEXT NOT NULL,
        PRIMARY KEY (owner, name)
      )`,
      ...addChecksum("agents"),
    ],
  },
  {
    version: 20,
    statements: [
      // Users' files, whose bytes are blobs.
      `CREATE TABLE files (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        mime_type TEXT NOT NULL,
        bytes BIGINT NOT NULL,
        sha256 TEXT NOT NULL,
        purpose TEXT NOT NULL,
        source TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        created_seq BIGINT NOT NULL
      )`,
      "CREATE INDEX files_of_owner ON files (owner, created_seq, id)",
      "CREATE INDEX files_by_hash ON files (sha256)",
      "CREATE INDEX files_expiring ON files (expires_at) WHERE expires_at IS NOT NULL",
      {
        postgres:
          "CREATE TRIGGER set_created_seq BEFORE INSERT ON files FOR EACH ROW EXECUTE FUNCTION set_created_seq()",
      },
      // Files that are uploaded in parts. `file_ms` is the time after which the file expires.
      `CREATE TABLE uploads (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        mime_type TEXT NOT NULL,
        bytes BIGINT NOT NULL,
        purpose TEXT NOT NULL,
        file_ms BIGINT,
        status TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        file_id TEXT
      )`,
      "CREATE INDEX uploads_by_expiry ON uploads (expires_at)",
      `CREATE TABLE upload_parts (
        id TEXT PRIMARY KEY,
        upload_id TEXT NOT NULL,
        owner TEXT NOT NULL,
        bytes BIGINT NOT NULL,
        sha256 TEXT NOT NULL,
        created_at BIGINT NOT NULL
      )`,
      "CREATE INDEX upload_parts_of_owner ON upload_parts (owner, upload_id)",
      "CREATE INDEX upload_parts_by_hash ON upload_parts (sha256)",
      ...(["files", "uploads", "upload_parts"] as const).flatMap((table) => addChecksum(table, [])),
    ],
  },
  {
    version: 21,
    statements: [
      // The parts of threads that are neither runs nor conversations: messages of users, and the
      // changes that users made to threads, answers and runs.
      `CREATE TABLE thread_objects (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        conversation_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        data TEXT NOT NULL,
        created_seq BIGINT NOT NULL
      )`,
      "CREATE INDEX thread_objects_of_conversation ON thread_objects (conversation_id, created_seq, id)",
      {
        postgres:
          "CREATE TRIGGER set_created_seq BEFORE INSERT ON thread_objects FOR EACH ROW EXECUTE FUNCTION set_created_seq()",
      },
      ...addChecksum("thread_objects", []),
    ],
  },
  {
    version: 22,
    statements: [
      // The files that the tools of a run returned. They are deleted with the run.
      `CREATE TABLE run_files (
        run_n BIGINT NOT NULL,
        file_id TEXT NOT NULL,
        PRIMARY KEY (run_n, file_id)
      )`,
      "CREATE INDEX run_files_by_file ON run_files (file_id)",
      ...addChecksum("run_files", []),
    ],
  },
  {
    version: 23,
    statements: [
      // The stored chat completions. Each choice is a run; the first one has the id and the metadata.
      `CREATE TABLE completions (
        run_n BIGINT PRIMARY KEY,
        owner TEXT NOT NULL,
        completion_id TEXT NOT NULL,
        choice BIGINT NOT NULL,
        model TEXT NOT NULL,
        metadata TEXT NOT NULL
      )`,
      "CREATE INDEX completions_of_owner ON completions (owner, run_n) WHERE choice = 0",
      "CREATE INDEX completions_by_id ON completions (completion_id, choice)",
      ...addChecksum("completions", []),
    ],
  },
  {
    version: 24,
    statements: [
      // Vector stores, their files and batches. `revision` counts the changes of a store's files.
      `CREATE TABLE search_objects (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        kind TEXT NOT NULL,
        parent_id TEXT,
        batch_id TEXT,
        file_id TEXT,
        status TEXT NOT NULL,
        bytes BIGINT NOT NULL,
        revision BIGINT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        data TEXT NOT NULL,
        created_seq BIGINT NOT NULL
      )`,
      "CREATE INDEX search_objects_of_owner ON search_objects (owner, created_seq, id) WHERE kind = 'store'",
      "CREATE INDEX search_objects_of_parent ON search_objects (parent_id, kind, created_seq, id)",
      "CREATE INDEX search_objects_of_batch ON search_objects (batch_id) WHERE batch_id IS NOT NULL",
      "CREATE INDEX search_objects_of_file ON search_objects (file_id) WHERE file_id IS NOT NULL",
      "CREATE INDEX search_objects_unindexed ON search_objects (created_seq) WHERE kind = 'file' AND status = 'in_progress'",
      {
        postgres:
          "CREATE TRIGGER set_created_seq BEFORE INSERT ON search_objects FOR EACH ROW EXECUTE FUNCTION set_created_seq()",
      },
      // The parts of indexed files. `words` is the indexed form of `text`; `vector` has small
      // integers in base64.
      {
        sqlite: `CREATE TABLE search_chunks (
          n INTEGER PRIMARY KEY,
          owner TEXT NOT NULL,
          store_id TEXT NOT NULL,
          file_id TEXT NOT NULL,
          position BIGINT NOT NULL,
          place TEXT NOT NULL,
          text TEXT NOT NULL,
          words TEXT NOT NULL,
          vector TEXT
        )`,
        postgres: `CREATE TABLE search_chunks (
          n BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
          owner TEXT NOT NULL,
          store_id TEXT NOT NULL,
          file_id TEXT NOT NULL,
          position BIGINT NOT NULL,
          place TEXT NOT NULL,
          text TEXT NOT NULL,
          words TEXT NOT NULL,
          vector TEXT,
          lexemes TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED
        )`,
      },
      "CREATE INDEX search_chunks_of_store ON search_chunks (store_id, file_id, position)",
      "CREATE INDEX search_chunks_of_file ON search_chunks (file_id)",
      { postgres: "CREATE INDEX search_chunks_lexemes ON search_chunks USING GIN (lexemes)" },
      {
        sqlite:
          "CREATE VIRTUAL TABLE search_words USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
      },
      {
        sqlite: `CREATE TRIGGER search_words_insert AFTER INSERT ON search_chunks BEGIN
          INSERT INTO search_words (rowid, words) VALUES (new.n, new.words); END`,
      },
      {
        sqlite: `CREATE TRIGGER search_words_delete AFTER DELETE ON search_chunks BEGIN
          DELETE FROM search_words WHERE rowid = old.n; END`,
      },
      ...addChecksum("search_objects", []),
      ...addChecksum("search_chunks", ["version"]),
    ],
  },
  {
    version: 25,
    statements: [
      // The words of the messages of a run, to search conversations. Rows are added by searches.
      {
        sqlite:
          "CREATE TABLE run_words (run_n INTEGER PRIMARY KEY, owner TEXT NOT NULL, words TEXT NOT NULL)",
        postgres: `CREATE TABLE run_words (
          run_n BIGINT PRIMARY KEY,
          owner TEXT NOT NULL,
          words TEXT NOT NULL,
          lexemes TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED
        )`,
      },
      { postgres: "CREATE INDEX run_words_lexemes ON run_words USING GIN (lexemes)" },
      {
        sqlite:
          "CREATE VIRTUAL TABLE run_words_index USING fts5(words, content='', contentless_delete=1, tokenize='ascii')",
      },
      {
        sqlite: `CREATE TRIGGER run_words_insert AFTER INSERT ON run_words BEGIN
          INSERT INTO run_words_index (rowid, words) VALUES (new.run_n, new.words); END`,
      },
      {
        sqlite: `CREATE TRIGGER run_words_delete AFTER DELETE ON run_words BEGIN
          DELETE FROM run_words_index WHERE rowid = old.run_n; END`,
      },
      ...addChecksum("run_words", []),
    ],
  },
  {
    version: 26,
    // The state of a conversation in the user's list: `open`, `pinned` or `archived`.
    statements: [
      ...addColumn("conversations", { column: "state", type: "TEXT NOT NULL DEFAULT 'open'" }),
      "CREATE INDEX conversations_in_state ON conversations (owner, state, updated_at, id)",
    ],
  },
  {
    version: 27,
    statements: [
      // A file's index is written and deleted in many commits. Its parts have the revision of the
      // file as their version.
      ...addColumn("search_chunks", { column: "version", type: "BIGINT NOT NULL DEFAULT 0" }),
      // Merged by `collectChunks`: see `merge-words.ts`.
      { sqlite: "INSERT INTO search_words (search_words, rank) VALUES ('deletemerge', 0)" },
      "DROP INDEX search_objects_unindexed",
      "CREATE INDEX search_objects_unindexed ON search_objects (owner, created_seq) WHERE kind = 'file' AND status = 'in_progress'",
      "DROP INDEX search_chunks_of_store",
      "CREATE INDEX search_chunks_of_store ON search_chunks (store_id, file_id, version, position)",
      // The versions that no search finds: the version that `node` is writing, and versions that are
      // to be deleted. An empty `file_id` means all files of a deleted store.
      `CREATE TABLE hidden_chunks (
        owner TEXT NOT NULL,
        store_id TEXT NOT NULL,
        file_id TEXT NOT NULL,
        from_version BIGINT NOT NULL,
        to_version BIGINT NOT NULL,
        node TEXT,
        PRIMARY KEY (store_id, file_id, from_version)
      )`,
      ...addChecksum("hidden_chunks", []),
    ],
  },
  {
    version: 28,
    statements: [
      // The tokens of each ended run. Runs that ended before have no row.
      `CREATE TABLE run_usage (
        run_n BIGINT PRIMARY KEY,
        owner TEXT NOT NULL,
        ended_at BIGINT NOT NULL,
        input_tokens BIGINT NOT NULL,
        cached_tokens BIGINT NOT NULL,
        output_tokens BIGINT NOT NULL
      )`,
      "CREATE INDEX run_usage_of_owner ON run_usage (owner, ended_at)",
      ...addChecksum("run_usage", []),
    ],
  },
  {
    version: 29,
    statements: [
      // Connections to services that users added.
      `CREATE TABLE connections (
        name TEXT PRIMARY KEY,
        created_by TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        settings TEXT NOT NULL
      )`,
      // Encrypted credentials for connections. The holder of the claim refreshes the credential.
      `CREATE TABLE credentials (
        connection TEXT NOT NULL,
        owner TEXT NOT NULL,
        field TEXT NOT NULL,
        revision BIGINT NOT NULL,
        sealed TEXT NOT NULL,
        state TEXT NOT NULL,
        expires_at BIGINT,
        claimed_by TEXT,
        claimed_until BIGINT,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (connection, owner, field)
      )`,
      "CREATE INDEX credentials_that_expire ON credentials (expires_at) WHERE expires_at IS NOT NULL",
      ...addChecksum("connections", []),
      ...addChecksum("credentials", []),
    ],
  },
  {
    version: 30,
    statements: [
      // The messages that endpoints have not accepted yet. `due_at` is the time of the next attempt,
      // or the end of a claim.
      `CREATE TABLE webhook_messages (
        endpoint TEXT NOT NULL,
        id TEXT NOT NULL,
        owner TEXT NOT NULL,
        event TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        attempts BIGINT NOT NULL,
        due_at BIGINT NOT NULL,
        PRIMARY KEY (endpoint, id)
      )`,
      "CREATE INDEX webhook_messages_due ON webhook_messages (endpoint, due_at)",
      "CREATE INDEX webhook_messages_by_age ON webhook_messages (created_at)",
      ...addChecksum("webhook_messages", []),
    ],
  },
  {
    version: 31,
    statements: [
      // Chats that anyone with their link can read. `digest` is the SHA-256 of the link's token.
      `CREATE TABLE shares (
        conversation_id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        digest TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        content TEXT NOT NULL
      )`,
      "CREATE UNIQUE INDEX share_of_link ON shares (digest)",
      "CREATE INDEX shares_of_owner ON shares (owner, created_at)",
      ...addChecksum("shares", []),
    ],
  },
];
