import type { Durability } from "./open-database.ts";
import type { Sql } from "./sql.ts";
import { startThread } from "./thread.ts";
import { applyBatch, type WriteRequest, type WriteResult } from "./writing/apply-batch.ts";
import { type Leftover, startWriting } from "./writing/start-writing.ts";

/** A batch as JSON text, which costs the sender a third of a structured clone; or as it is. */
export type WriterRequest = "leftovers" | string | readonly WriteRequest[];
export type WriterResponse = readonly Leftover[] | string;

/** Who holds the one connection that writes. */
export interface Writer {
  readonly leftovers: readonly Leftover[];
  commit(batch: readonly WriteRequest[]): Promise<readonly WriteResult[]>;
  stop(): Promise<void>;
}

/** A writer in a thread of its own, which never blocks the caller's. */
export async function startWriter(options: {
  readonly path: string;
  readonly durability: Durability;
}): Promise<Writer> {
  const thread = startThread<WriterRequest, WriterResponse>("writer-thread", options);
  const leftovers = (await thread.ask("leftovers")) as readonly Leftover[];
  return {
    leftovers,
    commit: async (batch) => {
      const response = await thread.ask(batch.some(isLarge) ? batch : JSON.stringify(batch));
      return JSON.parse(response as string) as WriteResult[];
    },
    stop: () => thread.stop(),
  };
}

/** A writer on the caller's own connection, for a database in memory. */
export function writerOn(sql: Sql): Writer {
  const { writing, leftovers } = startWriting(sql);
  return {
    leftovers,
    commit: async (batch) => applyBatch(writing, batch),
    stop: async () => sql.close(),
  };
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
