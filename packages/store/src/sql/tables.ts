type ColumnType = "text" | "bigint";

/** How many rows are added to a table in one statement. */
interface BulkTable {
  /** In the order of the statement. */
  readonly columns: { readonly [column: string]: ColumnType };
  /** Columns that are null in a new row. */
  readonly later?: { readonly [column: string]: ColumnType };
  /** `created_seq`, which the database assigns to a new row (`creation-sequence.ts`). */
  readonly sequence?: { readonly created_seq: "bigint" };
  /** The clause for a row whose key exists already; without a clause, such a row is an error. */
  readonly conflict?: string;
  /**
   * If a key has several changes, only the last one is sent, because a statement cannot change a
   * row twice.
   */
  readonly key?: readonly string[];
}

const keepFirst = "ON CONFLICT DO NOTHING";
const sequence = { created_seq: "bigint" } as const;

/** The tables that get rows in bulk, with their columns. */
export const tables = {
  runs: {
    columns: {
      n: "bigint",
      id: "text",
      owner: "text",
      session_id: "text",
      conversation_id: "text",
      parent_id: "text",
      kind: "text",
      status: "text",
      epoch: "bigint",
      stored: "bigint",
      model: "text",
      title: "text",
      base_manifest: "text",
      created_at: "bigint",
      updated_at: "bigint",
      ended_at: "bigint",
      node: "text",
      edits: "bigint",
      answers: "bigint",
    },
    later: { manifest: "text" },
  },
  run_requests: {
    columns: {
      run_n: "bigint",
      owner: "text",
      request: "text",
      input: "text",
      full_input: "text",
    },
  },
  run_blobs: {
    columns: { run_n: "bigint", sha256: "text", owner: "text", size: "bigint" },
    conflict: keepFirst,
  },
  run_results: {
    columns: { run_n: "bigint", owner: "text", result: "text", replay: "text" },
    conflict:
      "ON CONFLICT (run_n) DO UPDATE SET result = excluded.result, replay = excluded.replay",
    key: ["run_n"],
  },
  run_journal: {
    columns: {
      run_n: "bigint",
      seq: "bigint",
      nth: "bigint",
      owner: "text",
      at: "bigint",
      type: "text",
      from_seq: "bigint",
      cuts: "text",
      events: "text",
      messages: "text",
      calls: "text",
    },
  },
  tail: {
    columns: {
      n: "bigint",
      run_n: "bigint",
      seq: "bigint",
      owner: "text",
      item_id: "text",
      prev: "bigint",
      delta: "text",
    },
  },
  answerable_calls: {
    columns: { run_n: "bigint", call_id: "text", answered_by: "text", owner: "text" },
    conflict: keepFirst,
  },
  client_outputs: {
    columns: {
      run_n: "bigint",
      call_id: "text",
      owner: "text",
      digest: "text",
      output: "text",
      submitted_at: "bigint",
    },
    conflict: keepFirst,
  },
  run_variables: {
    columns: { run_n: "bigint", n: "bigint", owner: "text", changes: "text" },
  },
  variable_values: {
    columns: {
      owner: "text",
      digest: "text",
      session_id: "text",
      bytes: "bigint",
      value: "text",
    },
    conflict: keepFirst,
  },
  manifests: {
    columns: { session_id: "text", digest: "text", owner: "text", entries: "text" },
    conflict: keepFirst,
  },
  approvals: {
    columns: {
      id: "text",
      owner: "text",
      run_n: "bigint",
      call_id: "text",
      kind: "text",
      status: "text",
      created_at: "bigint",
      expires_at: "bigint",
      request: "text",
    },
    later: { answer: "text", answered_at: "bigint" },
    sequence,
    conflict: keepFirst,
  },
  grants: {
    columns: {
      id: "text",
      owner: "text",
      session_id: "text",
      tool_id: "text",
      created_at: "bigint",
      expires_at: "bigint",
      data: "text",
    },
    later: { revoked_at: "bigint" },
    sequence,
    conflict: keepFirst,
  },
  quarantine: {
    columns: { id: "text", part: "text", owner: "text", run_n: "bigint", data: "text" },
    conflict: keepFirst,
  },
  items: {
    columns: {
      run_n: "bigint",
      direction: "text",
      n: "bigint",
      owner: "text",
      id: "text",
      call_id: "text",
      item: "text",
    },
  },
  conversations: {
    columns: {
      id: "text",
      owner: "text",
      title: "text",
      metadata: "text",
      switches: "text",
      created_at: "bigint",
      updated_at: "bigint",
      state: "text",
    },
    later: { head_run_id: "text" },
  },
  overrides: {
    columns: {
      owner: "text",
      id: "text",
      created_at: "bigint",
      updated_at: "bigint",
      rule: "text",
    },
    sequence,
    conflict:
      "ON CONFLICT (owner, id) DO UPDATE SET updated_at = excluded.updated_at, rule = excluded.rule",
    key: ["owner", "id"],
  },
  agents: {
    columns: {
      owner: "text",
      name: "text",
      created_at: "bigint",
      updated_at: "bigint",
      agent: "text",
    },
    conflict:
      "ON CONFLICT (owner, name) DO UPDATE SET updated_at = excluded.updated_at, agent = excluded.agent",
    key: ["owner", "name"],
  },
  connections: {
    columns: {
      name: "text",
      created_by: "text",
      created_at: "bigint",
      updated_at: "bigint",
      settings: "text",
    },
  },
  credentials: {
    columns: {
      connection: "text",
      owner: "text",
      field: "text",
      revision: "bigint",
      sealed: "text",
      state: "text",
      expires_at: "bigint",
      claimed_by: "text",
      claimed_until: "bigint",
      updated_at: "bigint",
    },
  },
  request_keys: {
    columns: {
      owner: "text",
      id: "text",
      digest: "text",
      resource_id: "text",
      response: "text",
      expires_at: "bigint",
    },
    conflict: `ON CONFLICT (owner, id) DO UPDATE SET digest = excluded.digest, resource_id = excluded.resource_id,
      response = excluded.response, expires_at = excluded.expires_at`,
    key: ["owner", "id"],
  },
  files: {
    columns: {
      id: "text",
      owner: "text",
      name: "text",
      mime_type: "text",
      bytes: "bigint",
      sha256: "text",
      purpose: "text",
      source: "text",
      created_at: "bigint",
      expires_at: "bigint",
    },
    sequence,
  },
  uploads: {
    columns: {
      id: "text",
      owner: "text",
      name: "text",
      mime_type: "text",
      bytes: "bigint",
      purpose: "text",
      file_ms: "bigint",
      status: "text",
      created_at: "bigint",
      expires_at: "bigint",
    },
    later: { file_id: "text" },
  },
  upload_parts: {
    columns: {
      id: "text",
      upload_id: "text",
      owner: "text",
      bytes: "bigint",
      sha256: "text",
      created_at: "bigint",
    },
  },
  thread_objects: {
    columns: {
      id: "text",
      owner: "text",
      conversation_id: "text",
      kind: "text",
      created_at: "bigint",
      updated_at: "bigint",
      data: "text",
    },
    sequence,
  },
  run_files: { columns: { run_n: "bigint", file_id: "text" } },
  completions: {
    columns: {
      run_n: "bigint",
      owner: "text",
      completion_id: "text",
      choice: "bigint",
      model: "text",
      metadata: "text",
    },
  },
  search_objects: {
    columns: {
      id: "text",
      owner: "text",
      kind: "text",
      parent_id: "text",
      batch_id: "text",
      file_id: "text",
      status: "text",
      bytes: "bigint",
      revision: "bigint",
      created_at: "bigint",
      updated_at: "bigint",
      data: "text",
    },
    sequence,
  },
  search_chunks: {
    columns: {
      owner: "text",
      store_id: "text",
      file_id: "text",
      position: "bigint",
      place: "text",
      text: "text",
      words: "text",
      vector: "text",
      version: "bigint",
    },
  },
  hidden_chunks: {
    columns: {
      owner: "text",
      store_id: "text",
      file_id: "text",
      from_version: "bigint",
      to_version: "bigint",
      node: "text",
    },
  },
  run_words: {
    columns: { run_n: "bigint", owner: "text", words: "text" },
    conflict: keepFirst,
  },
  run_usage: {
    columns: {
      run_n: "bigint",
      owner: "text",
      ended_at: "bigint",
      input_tokens: "bigint",
      cached_tokens: "bigint",
      output_tokens: "bigint",
    },
    conflict: keepFirst,
  },
  webhook_messages: {
    columns: {
      endpoint: "text",
      id: "text",
      owner: "text",
      event: "text",
      created_at: "bigint",
      attempts: "bigint",
      due_at: "bigint",
    },
    conflict: keepFirst,
  },
  shares: {
    columns: {
      conversation_id: "text",
      owner: "text",
      digest: "text",
      created_at: "bigint",
      content: "text",
    },
    conflict:
      "ON CONFLICT (conversation_id) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at, content = excluded.content",
    key: ["conversation_id"],
  },
} as const satisfies { readonly [table: string]: BulkTable };

/** A table to which decisions add rows. */
export type RowTable = keyof typeof tables;

/** A table that a statement can read or write. */
export type TableName = RowTable | "nodes" | "writers";

type Cells<Columns> = {
  readonly [C in keyof Columns]: Columns[C] extends "bigint" ? number | null : string | null;
};

/** A new row of a table. */
export type RowOf<T extends RowTable> = Cells<(typeof tables)[T]["columns"]>;

/** Some cells of a row. */
export type CellsOf<T extends RowTable> = Partial<
  Cells<(typeof tables)[T]["columns"] & LaterOf<T>>
>;

type LaterOf<T extends RowTable> = (typeof tables)[T] extends { readonly later: infer Later }
  ? Later
  : unknown;

/** Returns how rows are added to a table in bulk. */
export function bulkTable(table: RowTable): BulkTable {
  return tables[table];
}

/** Returns the type of a column. */
export function columnType(table: RowTable, column: string): ColumnType {
  const { columns, later } = bulkTable(table);
  return columns[column] ?? later?.[column] ?? "text";
}
