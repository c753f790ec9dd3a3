import type { Invocation } from "../../arguments/command.ts";
import type { Client } from "@capstan/client";
import { createNodeTerminal } from "../../terminal/node-terminal.ts";
import { type Style, styleFor } from "../../terminal/style.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { openConnection } from "./open-connection.ts";

/**
 * Prompts the user in the terminal for the pending requests of the server, until Ctrl+C.
 *
 * @param ask prompts for all pending requests
 * @returns the exit code
 */
export async function answerInTerminal(
  { values }: Invocation,
  ask: (parts: {
    readonly client: Client;
    readonly terminal: Terminal;
    readonly style: Style;
    readonly signal: AbortSignal;
  }) => Promise<void>,
): Promise<number> {
  const { client, close } = await openConnection(values);
  const { stdin: input, stdout: output, stderr: error } = process;
  const terminal = createNodeTerminal({ input, output, error });
  const leaving = new AbortController();
  terminal.onInterrupt(() => leaving.abort());
  try {
    const style = styleFor(output.isTTY ? output : error);
    await ask({ client, terminal, style, signal: leaving.signal });
    return 0;
  } finally {
    terminal.close();
    await close();
  }
}
