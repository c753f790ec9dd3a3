import type { Invocation } from "../arguments/command.ts";
import { answerOpenOutcomes } from "../chat/answer-outcome.ts";
import { createNodeTerminal } from "../terminal/node-terminal.ts";
import { styleFor } from "../terminal/style.ts";
import { openConnection } from "./shared/open-connection.ts";

/** Asks about all calls with an unknown outcome. */
export async function answerOutcomes({ values }: Invocation): Promise<number> {
  const { client, close } = await openConnection(values);
  const { stdin: input, stdout: output, stderr: error } = process;
  const terminal = createNodeTerminal({ input, output, error });
  const leaving = new AbortController();
  terminal.onInterrupt(() => leaving.abort());
  try {
    const style = styleFor(output.isTTY ? output : error);
    await answerOpenOutcomes({ client, terminal, style, signal: leaving.signal });
    return 0;
  } finally {
    terminal.close();
    await close();
  }
}
