import { join } from "node:path";
import type { ToolGroup } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { openDefinitionFiles } from "./accepted/definition-files.ts";
import { parseStored } from "./accepted/stored-connection.ts";
import type { ToolChanges } from "./definition/compare-tools.ts";
import type { Connection } from "./definition/connection.ts";
import type { ConnectionStatus } from "./manage/connection-status.ts";
import type { Managed } from "./manage/managed.ts";
import { ManagedConnection } from "./manage/managed-connection.ts";
import type { SessionHost } from "./manage/session-host.ts";
import type { OpenApiConnection } from "./openapi/definition/openapi-connection.ts";
import type { DocumentReader } from "./openapi/manage/read-in-process.ts";
import { ManagedDocument } from "./openapi/manage/managed-document.ts";
import { parseStoredDocument } from "./openapi/manage/stored-document.ts";

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
  /** Connects to a server, or to all, and reads its tools. Failures are in `status`. */
  check(name?: string): Promise<void>;
  /** Returns the changes that a user has not accepted yet; undefined for an unknown name. */
  changes(name: string): ToolChanges | undefined;
  /** Accepts the definitions of a server. Call this only if a user decided so. */
  accept(name: string): void;
  /** Ends all sessions and processes. */
  close(): Promise<void>;
}

/**
 * Opens the connections without starting or reaching a server: the groups have the stored tools,
 * and the first call connects. With `watch`, lists the tools of new servers in the background.
 *
 * @param options.folder in the data directory, which tools cannot access
 * @example
 * const opened = openConnections({ connections, folder, host });
 * opened.groups; // one for each connection
 */
export function openConnections(options: {
  readonly connections: readonly (Connection | OpenApiConnection)[];
  readonly folder: string;
  readonly host: Omit<SessionHost, "homes">;
  /** Whether to watch for other processes' changes and list new servers' tools. @default true */
  readonly watch?: boolean;
  /** Reads the text of an OpenAPI document. @default in a process of its own */
  readonly readDocument?: DocumentReader;
}): Connections {
  const { connections, folder, host, watch = true, readDocument } = options;
  const files = openDefinitionFiles(join(folder, "definitions"), parseStored);
  const documents = openDefinitionFiles(join(folder, "documents"), parseStoredDocument);
  const listeners = new Set<() => void>();
  const onChange = () => {
    for (const listener of listeners)
      try {
        listener();
      } catch (thrown) {
        host.log(`A listener of the connections failed: ${errorMessage(thrown)}`);
      }
  };
  const managed = connections.map((connection): Managed =>
    connection.type === "openapi"
      ? new ManagedDocument({
          connection,
          files: documents,
          host,
          onChange,
          ...(readDocument && { readDocument }),
        })
      : new ManagedConnection({
          connection,
          files,
          host: { ...host, homes: join(folder, "homes") },
          onChange,
        }),
  );
  const find = (name: string) => managed.find(({ connection }) => connection.name === name);
  if (watch && managed.length > 0) {
    const watched = new Set(
      connections.map(({ type }) => (type === "openapi" ? documents : files)),
    );
    for (const one of watched) one.watch((name) => find(name)?.reload());
    // Without delaying the start.
    setImmediate(() => {
      for (const one of managed)
        if (
          (!one.isListed || one.isReadAtStart === true) &&
          (one.connection.missing ?? []).length === 0
        )
          void one.check();
    });
  }
  return {
    get groups() {
      return managed.map(({ group }) => group);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    status: () => managed.map(({ status }) => status),
    async check(name) {
      const chosen = name === undefined ? managed : managed.filter((one) => one === find(name));
      await Promise.all(chosen.map((one) => one.check()));
    },
    changes: (name) => find(name)?.changes,
    accept: (name) => find(name)?.accept(),
    async close() {
      files.close();
      documents.close();
      listeners.clear();
      await Promise.all(managed.map((one) => one.close()));
    },
  };
}
