import { workerData } from "node:worker_threads";
import { openForReading } from "./open-database.ts";
import { type LongRead, longRead } from "./reading/long-reads.ts";
import { serveThread } from "./serve-thread.ts";

const { path } = workerData as { readonly path: string };
const sql = openForReading(path);

serveThread({
  what: "Reading from the store",
  answer: (request) => answer(request as LongRead),
  stop: () => sql.close(),
});

function answer({ name, query }: LongRead): unknown {
  return sql.read(longRead(name, query));
}
