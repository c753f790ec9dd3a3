import { encodeRequest } from "../../encode/encode-request.ts";
import type { PostedBatch } from "../../encode/posted-batches.ts";
import { startThread } from "../../live/thread.ts";
import { threadWriter, type Writer } from "../../live/writer.ts";

import type { DatabaseAddress } from "../wire/connection.ts";
import { postgresWriter } from "./postgres-writer.ts";
import { connectWriter } from "./writer-connection.ts";

/** What the writer's thread is started with. */
export interface PostgresWriterOptions {
  readonly address: DatabaseAddress;
  readonly writerId: string;
}

/** Asked for first, and answered with nothing. */
export type PostgresWriterRequest = "connect" | PostedBatch;

/** A writer in a thread of its own: what it decides, and what its driver does, hold nobody up here. */
export async function startPostgresWriter(options: PostgresWriterOptions): Promise<Writer> {
  const thread = startThread<PostgresWriterRequest, string>(
    "writer-thread",
    import.meta.url,
    options,
  );
  try {
    await thread.ask("connect");
  } catch (thrown) {
    await thread.stop();
    throw thrown;
  }
  return threadWriter(thread);
}

/** A writer on the caller's own thread: it is there sooner, and is enough where little is written. */
export async function connectPostgresWriter(options: PostgresWriterOptions): Promise<Writer> {
  const { address, writerId } = options;
  const connection = await connectWriter(address, writerId);
  const writer = postgresWriter({ connection, writerId });
  return {
    isPipelined: false,
    commit: (batch) => writer.commit(batch.map(encodeRequest)),
    stop: () => writer.close(),
  };
}
