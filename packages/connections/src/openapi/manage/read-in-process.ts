import { runInProcess, runInSlot, workerModule } from "@capstan/sandbox";
import type { DocumentInput } from "../document/document-process.ts";
import type { ReadDocument } from "../document/read-document.ts";

/** Reads the text of a document. */
export type DocumentReader = (input: DocumentInput, signal: AbortSignal) => Promise<ReadDocument>;

const timeoutMs = 30_000;
const heapMb = 768;
const memoryMb = 1_024;

/** Reads a document in its own process with limits on time and memory, because it is not trusted. */
export const readInProcess: DocumentReader = async (input, signal) => {
  const outcome = await runInSlot({ pool: "openapi", atOnce: 1, user: undefined, signal }, () =>
    runInProcess<ReadDocument>({
      module: workerModule("../document/document-process", import.meta.url),
      input,
      timeoutMs,
      heapMb,
      memoryMb,
      signal,
    }),
  );
  const failed = (problem: string): ReadDocument => ({ status: "failed", problem });
  if (outcome.status === "busy") return failed("too many documents are being read.");
  if (outcome.status === "timed_out") return failed(`parsing it took over ${timeoutMs / 1_000} s.`);
  // Messages of a process that ended can contain paths of the server.
  if (outcome.status === "failed") return failed("parsing it needed too much memory, or crashed.");
  return outcome.value;
};
