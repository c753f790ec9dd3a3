import type { Program } from "@capstan/sandbox";

/** The command of a worker of one language; the script's path and the worker's arguments follow. */
export interface WorkerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The absolute paths that it reads: its own files, and its interpreter. */
  readonly read: readonly string[];
  readonly env?: Program["env"];
  readonly shown?: Program["shown"];
  readonly limits?: Program["limits"];
  /** Whether a worker runs one call only, so that the next one should start ahead of its call. */
  readonly runsOneCall?: boolean;
}
