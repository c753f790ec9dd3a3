import { type ErrorData, errorDataOf } from "./error-data.ts";
import type { Durability } from "./open-database.ts";
import type { Sql } from "./sql.ts";
import { startThread } from "./thread.ts";
import { applyBatch } from "./writing/apply-batch.ts";
import type { WriteRequest, WriteResult } from "./writing/apply-request.ts";
import { type Leftover, startWriting } from "./writing/start-writing.ts";

/** Each call as JSON text, which costs the sender a third of a structured clone; or as it is. */
export type WriterRequest = "leftovers" | readonly EncodedCall[];
type EncodedCall = string | WriteRequest;
type Encoded = { readonly call: EncodedCall } | { readonly error: ErrorData };
export type WriterResponse = readonly Leftover[] | string;

/** Who holds the one connection that writes. */
export interface Writer {
  /** How many batches it may be given at once, which it commits one after another. */
  readonly ahead: number;
  commit(batch: readonly WriteRequest[]): Promise<readonly WriteResult[]>;
  stop(): Promise<void>;
}

/** SQLite's, which knows what the process before left unfinished. */
export interface SqliteWriter extends Writer {
  readonly leftovers: readonly Leftover[];
}

/** What the writer's thread is started with. */
export interface WriterThreadOptions {
  readonly path: string;
  readonly durability: Durability;
  /** How long each commit waits in addition, in ms. */
  readonly syncDelayMs: number;
}

/** A writer in a thread of its own, which never blocks the caller's. */
export async function startWriter(options: WriterThreadOptions): Promise<SqliteWriter> {
  const thread = startThread<WriterRequest, WriterResponse>("writer-thread", options);
  const leftovers = (await thread.ask("leftovers")) as readonly Leftover[];

  /** A call that cannot be put into words for the thread fails alone. */
  async function commitEncoded(encoded: readonly Encoded[]): Promise<WriteResult[]> {
    const calls = encoded.flatMap((one) => ("call" in one ? [one.call] : []));
    const results = JSON.parse((await thread.ask(calls)) as string) as WriteResult[];
    let next = 0;
    return encoded.map((one) => ("error" in one ? one : (results[next++] as WriteResult)));
  }

  return {
    leftovers,
    // One on the disk, one on its way: thread and caller work side by side.
    ahead: 2,
    commit: async (batch) => {
      try {
        return await commitEncoded(batch.map((request) => encode(request, isLarge(request))));
      } catch (thrown) {
        if (!(thrown instanceof DOMException)) throw thrown;
        // A large one holds what cannot be copied as it is: the promise of a careless tool, say.
        return commitEncoded(batch.map((request) => encode(request, false)));
      }
    },
    stop: () => thread.stop(),
  };
}

/** A writer on the caller's own connection, for a database in memory. */
export function writerOn(sql: Sql): SqliteWriter {
  const { writing, leftovers } = startWriting(sql);
  return {
    leftovers,
    ahead: 1,
    commit: async (batch) => {
      const results = applyBatch(writing, batch);
      while (writing.trim.pending) writing.trim.some(sql);
      return results;
    },
    stop: async () => sql.close(),
  };
}

function encode(request: WriteRequest, asItIs: boolean): Encoded {
  try {
    return { call: asItIs ? request : JSON.stringify(request) };
  } catch (thrown) {
    return { error: errorDataOf("Writing to the store", thrown) };
  }
}

/** From here on copying a text as it is costs less than making JSON of it. */
const largeText = 65_536;

function isLarge(request: WriteRequest): boolean {
  return request.writes.some(
    (write) =>
      write.type === "journal" &&
      write.writes.some(
        (entry) =>
          entry.type === "variable" &&
          entry.change.type === "set" &&
          entry.change.variable.value.text.length > largeText,
      ),
  );
}
