import { type Script, together } from "../../sql/script.ts";
import { gather } from "./gather.ts";
import type { PostgresReads } from "./postgres-reads.ts";

/** A long one does not hold up all others. */
const atOnce = 2;

/**
 * Short reads that are asked for in one turn of the event loop go over together, and see one moment:
 * what one run that is taken up wants to know, and what many do.
 */
export function sharedReads(snapshot: PostgresReads["snapshot"]): PostgresReads["read"] {
  const readTogether = gather(
    (scripts: readonly (() => Script<unknown>)[]): Promise<readonly unknown[]> =>
      snapshot(() => together(scripts.map((script) => script()))),
    { atOnce },
  );
  return async <T>(script: () => Script<T>): Promise<T> => (await readTogether(script)) as T;
}
