import { workerData } from "node:worker_threads";
import { type PostedBatch, postResults, receiveBatches } from "../../encode/posted-batches.ts";
import { serveThread } from "../../live/serve-thread.ts";
import { databaseError } from "../wire/database-error.ts";
import { describeDatabase } from "../wire/describe-database.ts";
import { postgresWriter, type PostgresWriter } from "./postgres-writer.ts";
import type { PostgresWriterOptions, PostgresWriterRequest } from "./start-postgres-writer.ts";
import { connectWriter } from "./writer-connection.ts";

const { address, writerId } = workerData as PostgresWriterOptions;
const where = describeDatabase(address.connectionString);
let writer: PostgresWriter | undefined;

serveThread({
  answer: (requests, next) => answer(requests as readonly PostgresWriterRequest[], next),
  failure: (thrown) => {
    const { code, message } = databaseError(`Writing to the store at ${where}`, thrown);
    return { code, message };
  },
  // What comes while a commit is under way is all in the next one.
  together: true,
  stop: () => writer?.close(),
});

async function answer(
  requests: readonly PostgresWriterRequest[],
  next: () => void,
): Promise<readonly string[]> {
  writer ??= postgresWriter({ connection: await connectWriter(address, writerId), writerId });
  const batches = requests.filter((request): request is PostedBatch => request !== "connect");
  if (batches.length === 0) return [""];
  return postResults(batches, await writer.commit(receiveBatches(batches), next));
}
