import { realpathSync } from "node:fs";
import { dirname, isAbsolute, sep } from "node:path";
import {
  findProgram,
  type Program,
  type RunningProgram,
  type Sandbox,
  unconfined,
} from "@capstan/sandbox";
import type { ProgramConnection } from "../definition/connection.ts";
import { ConnectionError } from "./connection-error.ts";

/** The environment in which the programs of connections run. */
export interface ProgramHost {
  /** @default none: only programs that need no sandbox start */
  readonly sandbox?: Sandbox;
  /** How to install a sandbox if there is none. */
  readonly sandboxFix?: string;
  /** Absolute paths that no program sees: the server's own data. */
  readonly hidden: readonly string[];
  /** Absolute paths that no program changes. */
  readonly protected: readonly string[];
}

/** The folder of a server's own files in the sandbox, which is its HOME. */
const homeInside = "/connection";

/**
 * Starts the program of a connection. In the sandbox, it can access only its own folders, and the
 * folders and hosts that the configuration names.
 *
 * @param home the existing folder with the server's files for one owner
 * @throws ConnectionError `not_connected`
 */
export function startProgram(
  connection: ProgramConnection,
  { home, host }: { readonly home: string; readonly host: ProgramHost },
): RunningProgram {
  const { name, args, env, read, write, network } = connection;
  const command = commandOf(connection);
  const confined = connection.sandbox;
  const sandbox = confined ? host.sandbox : unconfined;
  if (sandbox === undefined || (confined && sandbox.kind === "none"))
    throw notConnected(
      `The server of ${name} runs only in the sandbox, which is not available here. ${host.sandboxFix ?? ""} Or let it run with all rights of this user: "sandbox": false.`,
    );
  const node = dirname(realpathSync(process.execPath));
  const path = [dirname(command), node, "/usr/local/bin", "/usr/bin", "/bin"];
  const program: Program = {
    command,
    args,
    env: {
      PATH: [...new Set(path)].join(":"),
      HOME: confined ? homeInside : home,
      ...env,
    },
    // V8 reserves much more address space than it uses.
    limits: { addressBytes: 0, processes: 256 },
    ...(confined && {
      read: [...new Set([...installationOf(command), node, ...read])],
      write,
      network,
      shown: [{ at: homeInside, from: home, write: true }],
      hidden: host.hidden,
      protected: host.protected,
      folder: homeInside,
    }),
  };
  try {
    return sandbox.start(program);
  } catch (thrown) {
    throw notConnected(
      `The server of ${name} cannot be started: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
}

function commandOf({ name, command }: ProgramConnection): string {
  const found = isAbsolute(command) ? command : findProgram(command);
  if (found === undefined)
    throw notConnected(
      `The server of ${name} cannot be started: there is no program ${command} on PATH. Install it, or name it by its absolute path.`,
    );
  return found;
}

/** Returns the folders with a command's code: of the command, its link target and its packages. */
function installationOf(command: string): readonly string[] {
  let real: string;
  try {
    real = realpathSync(command);
  } catch {
    return [];
  }
  return [...new Set([command, real].map(packagesAbove))].filter(
    (folder) => !["/usr", "/bin", "/sbin", "/lib"].some((one) => isInside(folder, one)),
  );
}

/** A package of Node.js needs the packages next to it. */
function packagesAbove(path: string): string {
  const mark = `${sep}node_modules${sep}`;
  const at = path.indexOf(mark);
  return at === -1 ? dirname(path) : path.slice(0, at + mark.length - 1);
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

function notConnected(message: string): ConnectionError {
  return new ConnectionError({ code: "not_connected", message: message.replaceAll("  ", " ") });
}
