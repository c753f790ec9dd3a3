import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { errorMessage } from "@capstan/core/host";
import { openDefinitionFiles } from "./accepted/definition-files.ts";
import { parseStored } from "./accepted/stored-connection.ts";
import type { Connection } from "./definition/connection.ts";
import type { Connections } from "./manage/connections.ts";
import type { Managed } from "./manage/managed.ts";
import { ManagedConnection } from "./manage/managed-connection.ts";
import type { SessionHost } from "./manage/session-host.ts";
import type { OpenApiConnection } from "./openapi/definition/openapi-connection.ts";
import type { DocumentReader } from "./openapi/manage/read-in-process.ts";
import { ManagedDocument } from "./openapi/manage/managed-document.ts";
import { parseStoredDocument } from "./openapi/manage/stored-document.ts";

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
  const manage = (connection: Connection | OpenApiConnection): Managed =>
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
        });
  const configured = connections.map(manage);
  let managed = configured;
  const find = (name: string) => managed.find(({ connection }) => connection.name === name);
  /** Watches the stored definitions, and reads missing or old ones without delaying the start. */
  const listNew = () => {
    if (!watch || managed.length === 0) return;
    const kinds = managed.map(({ connection: { type } }) => type);
    const watched = new Set(kinds.map((type) => (type === "openapi" ? documents : files)));
    for (const one of watched) one.watch((name) => find(name)?.reload());
    setImmediate(() => {
      for (const one of managed)
        if (
          (!one.isListed || one.isReadAtStart === true) &&
          (one.connection.missing ?? []).length === 0
        )
          void one.check();
    });
  };
  listNew();
  return {
    get groups() {
      return managed.map(({ group }) => group);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    status: () => managed.map(({ status }) => status),
    async check(name, owner) {
      const chosen = name === undefined ? managed : managed.filter((one) => one === find(name));
      await Promise.all(chosen.map((one) => one.check(owner)));
    },
    forget: async (name, owner) => find(name)?.forget?.(owner),
    async setAdded(added) {
      const before = managed.filter((one) => !configured.includes(one));
      const kept = added.map(
        (connection) =>
          before.find((one) => isDeepStrictEqual(one.connection, connection)) ?? manage(connection),
      );
      if (kept.length === before.length && kept.every((one) => before.includes(one))) return;
      managed = [...configured, ...kept];
      onChange();
      listNew();
      await Promise.all(before.filter((one) => !kept.includes(one)).map((one) => one.close()));
    },
    removeDefinitions: (name) => files.remove(name),
    find: (name) => find(name)?.connection,
    tools: (name) => find(name)?.listed ?? [],
    changes: async (name) => find(name)?.changes,
    accept: (name) => find(name)?.accept(),
    async close() {
      files.close();
      documents.close();
      listeners.clear();
      await Promise.all(managed.map((one) => one.close()));
    },
  };
}
