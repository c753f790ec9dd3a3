import { cachePages } from "../read/page-cache.ts";
import { findRunKey, readEventPage } from "../read/read-events.ts";
import { errorDataOf } from "../records/error-data.ts";
import type { Script } from "../sql/script.ts";
import { serveThread } from "./serve-thread.ts";
import { type SlowRead, slowRead, type SlowReadQuery } from "./slow-reads.ts";

/**
 * The longest response, in characters, that is posted as JSON. JSON takes a third of the time of a
 * structured clone, but for longer responses it is slower.
 */
const maxJsonLength = 1_000_000;

/**
 * The side of a reader thread: answers slow reads one after another. Readers of a run share the
 * decoded events of its long rows.
 *
 * @param options.snapshot runs a read whose statements all see the same snapshot
 */
export function answerSlowReads(options: {
  readonly snapshot: <T>(script: () => Script<T>) => Promise<T>;
  readonly stop: () => void | Promise<void>;
}): void {
  const { snapshot, stop } = options;
  const readPage = cachePages(
    (query: SlowReadQuery<"readEventPage">) => snapshot(() => readEventPage(query)),
    async (run) => (await snapshot(() => findRunKey(run))) !== undefined,
  );
  serveThread({
    failure: (thrown) => errorDataOf("Reading from the store", thrown),
    answer: async (read) => {
      const { name, query } = read as SlowRead;
      const found =
        name === "readEventPage"
          ? await readPage(query as SlowReadQuery<"readEventPage">)
          : await snapshot<unknown>(() => slowRead(name, query));
      return found === undefined || isLong(found) ? found : JSON.stringify(found);
    },
    stop,
  });
}

/** Returns whether the texts of a response have more than `maxJsonLength` characters. */
function isLong(response: unknown): boolean {
  let left = maxJsonLength;
  const exceeds = (value: unknown): boolean => {
    if (typeof value === "string") return (left -= value.length) < 0;
    return typeof value === "object" && value !== null && Object.values(value).some(exceeds);
  };
  return exceeds(response);
}
