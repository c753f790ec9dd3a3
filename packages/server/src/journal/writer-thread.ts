import { workerData } from "node:worker_threads";
import { openForWriting } from "./open-database.ts";
import { serveThread } from "./serve-thread.ts";
import type { WriterRequest, WriterResponse, WriterThreadOptions } from "./writer.ts";
import { applyBatch } from "./writing/apply-batch.ts";
import type { WriteRequest } from "./writing/apply-request.ts";
import { startWriting } from "./writing/start-writing.ts";

const { path, durability, syncDelayMs } = workerData as WriterThreadOptions;
const neverWoken = new Int32Array(new SharedArrayBuffer(4));
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
  const results = applyBatch(writing, batch);
  if (syncDelayMs > 0) Atomics.wait(neverWoken, 0, 0, syncDelayMs);
  return JSON.stringify(results);
}
