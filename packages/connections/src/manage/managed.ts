import type { ToolGroup } from "@capstan/core";
import type { ToolChanges } from "../definition/compare-tools.ts";
import type { ConnectionStatus } from "./connection-status.ts";

/** A connection of any kind, with its definitions and its tool group. */
export interface Managed {
  readonly connection: { readonly name: string; readonly missing?: readonly string[] };
  readonly group: ToolGroup;
  /** Whether its tools were ever read. */
  readonly isListed: boolean;
  /** Whether its tools are read again at each start. @default false */
  readonly isReadAtStart?: boolean;
  /** The changes that a user has not accepted yet. */
  readonly changes: ToolChanges;
  readonly status: ConnectionStatus;
  /** Reads its tools. Never throws; `status` has the failure. */
  check(signal?: AbortSignal): Promise<void>;
  /** Accepts the definitions that were read last. Call this only if a user decided so. */
  accept(): void;
  /** Reads the stored definitions again after another process changed them. */
  reload(): void;
  close(): Promise<void>;
}
