import type { JsonValue, Message } from "@capstan/core";
import type { ChainResultRecord } from "@capstan/core/host";
import type { BlobStore } from "../blobs/blob-store.ts";
import {
  inlineLength,
  type NewBlob,
  previewOf,
  splitList,
  encodeResult,
} from "../blobs/split-inputs.ts";

/** Statements of a migration: `?` stands for a value on both databases. */
export interface MigrationSql {
  readonly all: <Row>(
    text: string,
    ...values: readonly (string | number | null)[]
  ) => Promise<readonly Row[]>;
  /** Runs the body in a transaction. */
  readonly transaction: (body: () => Promise<void>) => Promise<void>;
  /** Called between two runs, after about 64 MB each time. */
  readonly checkpoint?: () => Promise<void>;
}

/** Records the runs with long rows, in migration 15. */
export const findUnmoved = `INSERT INTO unmoved_runs
  SELECT run_n FROM run_requests WHERE octet_length(input) > ${inlineLength} OR octet_length(request) > ${inlineLength}
  UNION SELECT run_n FROM run_results WHERE octet_length(result) > ${inlineLength}
  UNION SELECT run_n FROM run_journal WHERE seq = 0 AND octet_length(messages) > ${inlineLength}`;

const quietMs = 3_000;
const checkpointBytes = 64 * 1_048_576;

/**
 * Moves the long inputs and answers of runs that an earlier version wrote to their new place. Each
 * run has its own transaction, so after a crash the next start continues. A row that cannot be read
 * stays unchanged.
 *
 * @param log gets a line every few seconds if the move takes longer than three
 */
export async function moveInputs(
  sql: MigrationSql,
  blobs: Pick<BlobStore, "put">,
  log: (line: string) => void = () => {},
): Promise<void> {
  const [counted] = await sql.all<{ n: number }>("SELECT COUNT(*) AS n FROM unmoved_runs");
  const total = counted?.n ?? 0;
  let moved = 0;
  let bytes = 0;
  let loggedAt = performance.now();
  for (;;) {
    const runs = await sql.all<{ run_n: number }>(
      "SELECT run_n FROM unmoved_runs ORDER BY run_n LIMIT 100",
    );
    for (const { run_n: n } of runs) {
      bytes += await moveRun(sql, blobs, n);
      moved += 1;
      if (bytes > checkpointBytes) {
        bytes = 0;
        await sql.checkpoint?.();
      }
      if (performance.now() - loggedAt < quietMs) continue;
      loggedAt = performance.now();
      log(`Moving long inputs out of the database: ${moved} of ${total} runs. Stopping is safe.`);
    }
    if (runs.length === 0) return;
  }
}

/**
 * Moves the long texts of one run.
 *
 * @returns the number of bytes read
 */
async function moveRun(
  sql: MigrationSql,
  store: Pick<BlobStore, "put">,
  n: number,
): Promise<number> {
  const changes: [text: string, values: readonly (string | number | null)[]][] = [];
  const blobs = new Map<string, NewBlob>();
  let bytes = 0;
  const [request] = await sql.all<{ owner: string; request: string; input: string }>(
    "SELECT owner, request, input FROM run_requests WHERE run_n = ? AND full_input IS NULL",
    n,
  );
  if (request !== undefined) {
    bytes += request.request.length + request.input.length;
    const input = parsed(request.input) as readonly JsonValue[] | undefined;
    if (Array.isArray(input)) {
      const split = await splitList(input as readonly JsonValue[], blobs);
      if (split !== input)
        changes.push([
          "UPDATE run_requests SET input = ?, full_input = ? WHERE run_n = ?",
          [JSON.stringify(previewOf(input)), JSON.stringify(split), n],
        ]);
    }
    const stored = parsed(request.request) as { readonly context?: readonly Message[] } | undefined;
    if (Array.isArray(stored?.context)) {
      const context = await splitList(stored.context as readonly Message[], blobs);
      if (context !== stored.context)
        changes.push([
          "UPDATE run_requests SET request = ? WHERE run_n = ?",
          [JSON.stringify({ ...stored, context }), n],
        ]);
    }
  }
  const [found] = await sql.all<{ result: string }>(
    "SELECT result FROM run_results WHERE run_n = ? AND replay IS NULL",
    n,
  );
  const result = found && (parsed(found.result) as ChainResultRecord | undefined);
  if (result !== undefined && typeof result.answer === "string") {
    const encoded = encodeResult(result);
    bytes += found?.result.length ?? 0;
    if (encoded.replay !== undefined)
      changes.push([
        "UPDATE run_results SET result = ?, replay = ? WHERE run_n = ?",
        [encoded.result, encoded.replay, n],
      ]);
  }
  const opening = await sql.all<{ nth: number; messages: string }>(
    "SELECT nth, messages FROM run_journal WHERE run_n = ? AND seq = 0 AND messages IS NOT NULL",
    n,
  );
  for (const row of opening) {
    bytes += row.messages.length;
    const messages = parsed(row.messages);
    if (!Array.isArray(messages)) continue;
    const split = await splitList(messages as readonly Message[], blobs);
    if (split !== messages)
      changes.push([
        "UPDATE run_journal SET messages = ? WHERE run_n = ? AND seq = 0 AND nth = ?",
        [JSON.stringify(split), n, row.nth],
      ]);
  }
  for (const { sha256, bytes: content } of blobs.values())
    if (content !== undefined) await store.put({ sha256, bytes: content });
  await sql.transaction(async () => {
    for (const [text, values] of changes) await sql.all(text, ...values);
    for (const { sha256, size } of blobs.values())
      await sql.all(
        `INSERT INTO run_blobs (run_n, sha256, owner, size) SELECT ?, ?, owner, ? FROM runs WHERE n = ?
         ON CONFLICT DO NOTHING`,
        n,
        sha256,
        size,
        n,
      );
    await sql.all("DELETE FROM unmoved_runs WHERE run_n = ?", n);
  });
  return bytes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
