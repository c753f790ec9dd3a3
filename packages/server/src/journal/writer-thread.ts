import { workerData } from "node:worker_threads";
import { type Durability, openForWriting } from "./open-database.ts";
import { serveThread } from "./serve-thread.ts";
import type { WriterRequest, WriterResponse } from "./writer.ts";
import { applyBatch } from "./writing/apply-batch.ts";
import type { WriteRequest } from "./writing/apply-request.ts";
import { startWriting } from "./writing/start-writing.ts";

const { path, durability } = workerData as {
  readonly path: string;
  readonly durability: Durability;
};
const sql = openForWriting(path, durability);
const { writing, leftovers } = startWriting(sql);

serveThread({
  what: "Writing to the store",
  answer: (request) => answer(request as WriterRequest),
  stop: () => sql.close(),
});

function answer(request: WriterRequest): WriterResponse {
  if (request === "leftovers") return leftovers;
  const batch = request.map((call) =>
    typeof call === "string" ? (JSON.parse(call) as WriteRequest) : call,
  );
  return JSON.stringify(applyBatch(writing, batch));
}
