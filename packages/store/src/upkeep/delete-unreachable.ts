import type { Unreachable } from "../records/read-results.ts";
import type { Store } from "../live/store.ts";
import { commitRows } from "./prune.ts";

/**
 * Deletes unreachable variables: those that were overwritten or removed, or whose run was deleted.
 *
 * @param options.after the key of the last run whose session was scanned; 0 scans from the beginning
 * @returns `after` for the next call
 */
export async function deleteUnreachable(options: {
  readonly store: Store;
  readonly after: number;
  readonly pause?: () => Promise<void>;
  readonly signal?: AbortSignal;
}): Promise<number> {
  const { store, pause, signal } = options;
  let last = options.after;
  while (signal?.aborted !== true) {
    const page = await store.everyUnreachable({ after: last });
    for (const found of page.found.flatMap(inCommits)) {
      // Refused if the session has a new run: it is searched again after that run.
      await store.write([{ type: "drop-unreachable", found }]);
      await pause?.();
    }
    last = page.last;
    if (!page.more) break;
    await pause?.();
  }
  return last;
}

function inCommits({ sessionId, seen, manifests, values }: Unreachable): readonly Unreachable[] {
  const parts: Unreachable[] = [];
  for (let at = 0; at < Math.max(manifests.length, values.length); at += commitRows / 2) {
    const part = (digests: readonly string[]) => digests.slice(at, at + commitRows / 2);
    parts.push({ sessionId, seen, manifests: part(manifests), values: part(values) });
  }
  return parts;
}
