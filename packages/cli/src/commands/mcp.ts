import { createInterface } from "node:readline";
import { CommandFailure, type Invocation, textOption } from "../arguments/command.ts";
import { bridgeMcp } from "../mcp/bridge-mcp.ts";
import { connectionFiles } from "../connect/connection-record.ts";
import { commandTexts } from "../texts/commands.ts";
import { type Connection, openConnection } from "./shared/open-connection.ts";
import { readConfiguration } from "./shared/read-configuration.ts";

/**
 * Yields the lines of standard input. Reading starts with the first `next()`, so that no line is
 * lost before.
 */
async function* inputLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin, crlfDelay: Infinity });
}

/** Clients start the command in any folder, but the configuration depends on the folder. */
function enterDirectory(directory: string | undefined): void {
  if (directory === undefined) return;
  try {
    process.chdir(directory);
  } catch {
    throw new CommandFailure(commandTexts.mcp.noDirectory(directory), 1);
  }
}

/** Returns the key of a connected program. @throws CommandFailure if it is not connected */
async function programKey(values: Invocation["values"]): Promise<string | undefined> {
  const program = textOption(values, "program");
  if (program === undefined) return undefined;
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(program))
    throw new CommandFailure(commandTexts.mcp.notConnected(program), 2);
  const { dataDir } = await readConfiguration(values);
  const key = connectionFiles(dataDir, program).readKey();
  if (key === undefined) throw new CommandFailure(commandTexts.mcp.notConnected(program), 1);
  return key;
}

/**
 * Serves MCP on standard input and output: finds or starts a server, and passes messages to it.
 * Only messages of the protocol go to standard output.
 */
export async function serveMcp({ values }: Invocation): Promise<number> {
  const group = textOption(values, "group");
  if (group !== undefined && !/^[\w-]{1,64}$/.test(group))
    throw new CommandFailure(commandTexts.mcp.invalidGroup(group), 2);
  enterDirectory(textOption(values, "directory"));
  const key = await programKey(values);
  const output = process.stdout.write.bind(process.stdout);
  // Other code of this process could write to standard output and break the protocol.
  process.stdout.write = (chunk: string | Uint8Array) => process.stderr.write(chunk);
  const opened: Connection[] = [];
  try {
    await bridgeMcp({
      lines: inputLines(),
      write: (message) => void output(`${message}\n`),
      log: (line) => void process.stderr.write(`${line}\n`),
      async connect() {
        const connection = await openConnection(values, key);
        opened.push(connection);
        const path = group === undefined ? "/mcp" : `/mcp/groups/${group}`;
        return { url: new URL(path, connection.url).href, key: connection.key };
      },
    });
  } finally {
    for (const { close } of opened) await close();
  }
  return 0;
}
