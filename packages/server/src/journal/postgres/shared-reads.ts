import { type Script, together } from "../script.ts";
import { gather } from "./gather.ts";
import type { PostgresReads } from "./postgres-reads.ts";

type Result = { readonly value: unknown } | { readonly error: unknown };

/** A long one does not hold up all others. */
const atOnce = 2;

/**
 * Short reads that are asked for in one turn of the event loop go over together, and see one moment:
 * what one run that is taken up wants to know, and what many do. What fails is read again by itself,
 * so that a damaged row is only its reader's concern.
 */
export function sharedReads(snapshot: PostgresReads["snapshot"]): PostgresReads["read"] {
  const readTogether = gather(
    async (scripts: readonly (() => Script<unknown>)[]): Promise<readonly Result[]> => {
      try {
        const values = await snapshot(() => together(scripts.map((script) => script())));
        return values.map((value) => ({ value }));
      } catch (error) {
        if (scripts.length === 1) return [{ error }];
        return Promise.all(
          scripts.map((script) =>
            snapshot(script).then(
              (value) => ({ value }),
              (thrown: unknown) => ({ error: thrown }),
            ),
          ),
        );
      }
    },
    { atOnce },
  );
  return async <T>(script: () => Script<T>): Promise<T> => {
    const result = await readTogether(script);
    if ("error" in result) throw result.error;
    return result.value as T;
  };
}
