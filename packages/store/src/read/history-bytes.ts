import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

const lengths = (...columns: readonly string[]): string =>
  columns.map((column) => `COALESCE(octet_length(${column}), 0)`).join(" + ");

const line = `WITH RECURSIVE line (n, parent_id) AS (
     SELECT n, parent_id FROM runs WHERE id = ? AND owner = ?
     UNION ALL
     SELECT p.n, p.parent_id FROM line l JOIN runs p ON p.id = l.parent_id
   )`;

/**
 * The size of a run's history, which the databases compute without reading the texts. A blob counts
 * once, because the runs of the line share it in memory.
 */
const findHistoryBytes = statement<{ bytes: number }>(
  { reads: ["runs", "run_requests", "run_results", "run_journal", "run_blobs"] },
  `${line}, sizes AS (
     SELECT ${lengths("q.request", "q.input")} AS bytes FROM line JOIN run_requests q ON q.run_n = line.n
     UNION ALL
     SELECT ${lengths("s.result", "s.replay")} FROM line JOIN run_results s ON s.run_n = line.n
     UNION ALL
     SELECT ${lengths("j.messages", "j.calls")} FROM line JOIN run_journal j ON j.run_n = line.n
     UNION ALL
     SELECT (SELECT MAX(o.size) FROM run_blobs o WHERE o.sha256 = b.sha256)
       FROM (SELECT DISTINCT r.sha256 FROM line JOIN run_blobs r ON r.run_n = line.n) b
   )
   SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM sizes`,
);

/**
 * Returns the stored bytes of a run and all its ancestors: their requests, messages, calls, results
 * and blobs. Reads none of them. 0 if the owner has no such run.
 */
export function* historyBytes(query: { owner: string; runId: string }): Script<number> {
  return (yield* first(findHistoryBytes, query.runId, query.owner))?.bytes ?? 0;
}

/** The blobs of a run and its ancestors, the largest first. */
const findHistoryBlobs = statement<{ sha256: string; bytes: number }>(
  { reads: ["runs", "run_blobs"] },
  `${line}
   SELECT b.sha256, (SELECT MAX(o.size) FROM run_blobs o WHERE o.sha256 = b.sha256) AS bytes
     FROM (SELECT DISTINCT r.sha256 FROM line JOIN run_blobs r ON r.run_n = line.n) b ORDER BY bytes DESC`,
);

/** Returns the blobs that `historyBytes` counts. */
export function* historyBlobs(query: {
  owner: string;
  runId: string;
}): Script<readonly { readonly sha256: string; readonly bytes: number }[]> {
  return yield* all(findHistoryBlobs, query.runId, query.owner);
}
