import { workerData } from "node:worker_threads";
import { answerSlowReads } from "../live/answer-slow-reads.ts";
import { openForReading } from "./open-database.ts";

const { path } = workerData as { readonly path: string };
const sql = openForReading(path);

answerSlowReads({ snapshot: async (script) => sql.read(script()), stop: () => sql.close() });
