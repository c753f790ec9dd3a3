import type { ToolGroup } from "@capstan/core";
import type { ToolChanges } from "../definition/compare-tools.ts";
import type { Connection } from "../definition/connection.ts";
import type { ServerTool } from "../definition/server-tool.ts";
import type { OpenApiConnection } from "../openapi/definition/openapi-connection.ts";
import type { ConnectionStatus } from "./connection-status.ts";

/** The connections of an installation: a tool group for each. */
export interface Connections {
  /** The current groups, in the order of the configuration. */
  readonly groups: readonly ToolGroup[];
  /**
   * Calls the listener after the tools of a connection changed.
   *
   * @returns a function that removes the listener
   */
  subscribe(listener: () => void): () => void;
  /** Returns the state of each connection. */
  status(): readonly ConnectionStatus[];
  /**
   * Connects to a server, or to all, and reads its tools. Failures are in `status`.
   *
   * @param owner whose credentials are used. @default those that all users share
   */
  check(name?: string, owner?: string): Promise<void>;
  /** Ends the sessions with a server, of an owner or of all, after their credentials changed. */
  forget(name: string, owner?: string): Promise<void>;
  /** Replaces all connections that users added. Those of the configuration stay. */
  setAdded(connections: readonly Connection[]): Promise<void>;
  /** Deletes the stored definitions of a server. */
  removeDefinitions(name: string): void;
  /** Returns a connection with its settings. */
  find(name: string): Connection | OpenApiConnection | undefined;
  /** Returns the tools of a server as it listed them last. */
  tools(name: string): readonly ServerTool[];
  /** Returns the changes that a user has not accepted yet; undefined for an unknown name. */
  changes(name: string): Promise<ToolChanges | undefined>;
  /** Accepts the definitions of a server. Call this only if a user decided so. */
  accept(name: string): void;
  /** Ends all sessions and processes. */
  close(): Promise<void>;
}
