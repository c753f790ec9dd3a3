import { workerData } from "node:worker_threads";
import { errorDataOf } from "../records/error-data.ts";
import { openForReading } from "./open-database.ts";
import { type SlowRead, slowRead, type SlowReadQuery } from "../live/slow-reads.ts";
import { cachePages } from "../read/page-cache.ts";
import { findRunKey, readEventPage } from "../read/read-events.ts";
import { serveThread } from "../live/serve-thread.ts";

const { path } = workerData as { readonly path: string };
const sql = openForReading(path);

serveThread({
  failure: (thrown) => errorDataOf("Reading from the store", thrown),
  answer: (read) => answer(read as SlowRead),
  stop: () => sql.close(),
});

/**
 * The longest response, in characters, that is posted as JSON. JSON takes a third of the time of a
 * structured clone, but for longer responses it is slower.
 */
const maxJsonLength = 1_000_000;

/** Readers of a run share the decoded events of its long rows. */
const readPage = cachePages(
  async (query: SlowReadQuery<"readEventPage">) => sql.read(readEventPage(query)),
  async (run) => sql.read(findRunKey(run)) !== undefined,
);

async function answer({ name, query }: SlowRead): Promise<unknown> {
  const found =
    name === "readEventPage"
      ? await readPage(query as SlowReadQuery<"readEventPage">)
      : sql.read(slowRead(name, query));
  return found === undefined || isLong(found) ? found : JSON.stringify(found);
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
