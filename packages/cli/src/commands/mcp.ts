import { createInterface } from "node:readline";
import { CommandFailure, type Invocation, textOption } from "../arguments/command.ts";
import { bridgeMcp } from "../mcp/bridge-mcp.ts";
import { commandTexts } from "../texts/commands.ts";
import { type Connection, openConnection } from "./shared/open-connection.ts";

/** Starts to read when the first line is awaited: earlier lines would be lost. */
async function* inputLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin, crlfDelay: Infinity });
}

/**
 * Serves MCP on standard input and output: finds or starts a server, and passes messages to it.
 * Standard output has only messages of the protocol.
 */
export async function serveMcp({ values }: Invocation): Promise<number> {
  const group = textOption(values, "group");
  if (group !== undefined && !/^[\w-]{1,64}$/.test(group))
    throw new CommandFailure(commandTexts.mcp.invalidGroup(group), 2);
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
        const connection = await openConnection(values);
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
