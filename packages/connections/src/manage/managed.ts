import type { ToolGroup } from "@capstan/core";
import type { ToolChanges } from "../definition/compare-tools.ts";
import type { Connection } from "../definition/connection.ts";
import type { ServerTool } from "../definition/server-tool.ts";
import type { OpenApiConnection } from "../openapi/definition/openapi-connection.ts";
import type { ConnectionStatus } from "./connection-status.ts";

/** A connection of any kind, with its definitions and its tool group. */
export interface Managed {
  readonly connection: Connection | OpenApiConnection;
  readonly group: ToolGroup;
  /** Whether its tools were ever read. */
  readonly isListed: boolean;
  /** Whether its tools are read again at each start. @default false */
  readonly isReadAtStart?: boolean;
  /** The changes that a user has not accepted yet. */
  readonly changes: ToolChanges | Promise<ToolChanges>;
  readonly status: ConnectionStatus;
  /** The tools as its server listed them last. @default none are shown to users */
  readonly listed?: readonly ServerTool[];
  /**
   * Reads its tools. Never throws; `status` has the failure.
   *
   * @param owner whose credentials are used. @default those that all users share
   */
  check(owner?: string): Promise<void>;
  /** Ends the sessions of an owner, or all, after their credentials changed. */
  forget?(owner?: string): Promise<void>;
  /** Accepts the definitions that were read last. Call this only if a user decided so. */
  accept(): void;
  /** Reads the stored definitions again after another process changed them. */
  reload(): void;
  close(): Promise<void>;
}
