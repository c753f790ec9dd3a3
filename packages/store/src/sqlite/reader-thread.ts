import { workerData } from "node:worker_threads";
import { errorDataOf } from "../records/error-data.ts";
import { openForReading } from "./open-database.ts";
import { type SlowRead, slowRead } from "../live/slow-reads.ts";
import { serveThread } from "../live/serve-thread.ts";

const { path } = workerData as { readonly path: string };
const sql = openForReading(path);

serveThread({
  failure: (thrown) => errorDataOf("Reading from the store", thrown),
  answer: (read) => answer(read as SlowRead),
  stop: () => sql.close(),
});

/**
 * A response of up to this many characters is posted as JSON, which takes a third of the time. For
 * longer texts, JSON is slower.
 */
const maxJsonLength = 1_000_000;

function answer({ name, query }: SlowRead): unknown {
  const found = sql.read(slowRead(name, query));
  const text = JSON.stringify(found);
  return found === undefined || text.length > maxJsonLength ? found : text;
}
