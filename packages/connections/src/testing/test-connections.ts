import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, type ToolExecutorOptions } from "@capstan/core";
import { type Sandbox, unconfined } from "@capstan/sandbox";
import type { Connection, ProgramConnection } from "../definition/connection.ts";
import type { SessionHost } from "../manage/session-host.ts";
import type { Connections } from "../manage/connections.ts";
import { openConnections } from "../open-connections.ts";

/** A connection to a program, for tests. */
export function programConnection(given: Partial<ProgramConnection> = {}): ProgramConnection {
  return {
    type: "program",
    name: "fake",
    command: process.execPath,
    args: [],
    env: {},
    read: [],
    write: [],
    network: false,
    sandbox: true,
    ...given,
  };
}

/** Opens connections in a new folder. */
export function testConnections(options: {
  /** @default none of the servers is a program */
  readonly sandbox?: Sandbox;
  readonly credentials?: SessionHost["credentials"];
  readonly onScope?: SessionHost["onScope"];
  readonly resolve?: SessionHost["resolve"];
  readonly findModel?: SessionHost["findModel"];
  readonly connections?: readonly Connection[];
  readonly folder?: string;
  readonly watch?: boolean;
  /** Returns the paths that no program sees. @default none */
  readonly hidden?: (folder: string) => readonly string[];
}): Connections & AsyncDisposable & { readonly folder: string; readonly log: string[] } {
  const { sandbox = unconfined, credentials, onScope, resolve, findModel } = options;
  const { connections = [programConnection()], watch = false } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "capstan-connections-"));
  const log: string[] = [];
  const opened = openConnections({
    connections,
    folder,
    host: {
      version: "1",
      programs: { sandbox, hidden: options.hidden?.(folder) ?? [], protected: [] },
      ...(credentials && { credentials }),
      ...(onScope && { onScope }),
      ...(resolve && { resolve }),
      ...(findModel && { findModel }),
      log: (line) => void log.push(line),
    },
    watch,
  });
  return Object.assign(Object.create(opened) as Connections, {
    folder,
    log,
    async [Symbol.asyncDispose]() {
      await opened.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  });
}

/** Creates an executor with the current groups of connections, all enabled. */
export function executorOf(
  connections: Connections,
  options: ToolExecutorOptions = {},
): ToolExecutor {
  const executor = new ToolExecutor({
    rules: [{ tool: "*", execution: "auto" }],
    ...options,
  });
  for (const group of connections.groups) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, true);
  }
  return executor;
}
