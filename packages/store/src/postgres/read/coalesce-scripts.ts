import { type Script, together } from "../../sql/script.ts";
import { coalesceReads } from "./coalesce-reads.ts";
import type { PostgresReads } from "./postgres-reads.ts";

/** Two, so that a long read does not delay all others. */
const concurrency = 2;

/** Coalesces the short reads of one turn of the event loop into one transaction, which sees one snapshot. */
export function coalesceScripts(snapshot: PostgresReads["snapshot"]): PostgresReads["read"] {
  const readTogether = coalesceReads(
    (scripts: readonly (() => Script<unknown>)[]): Promise<readonly unknown[]> =>
      snapshot(() => together(scripts.map((script) => script()))),
    { concurrency },
  );
  return async <T>(script: () => Script<T>): Promise<T> => (await readTogether(script)) as T;
}
