import type { Program } from "@capstan/sandbox";

/** What runs a worker of one language; a script's path and what a worker is told come behind it. */
export interface WorkerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute paths that it needs: itself, and its interpreter. */
  readonly read: readonly string[];
  readonly env?: Program["env"];
  readonly shown?: Program["shown"];
  readonly limits?: Program["limits"];
}
