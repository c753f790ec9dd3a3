import type { Invocation } from "../arguments/command.ts";
import { answerOpenApprovals } from "../chat/answer-open-approvals.ts";
import { createNodeTerminal } from "../terminal/node-terminal.ts";
import { styleFor } from "../terminal/style.ts";
import { openConnection } from "./shared/open-connection.ts";

/** Asks the user to answer all pending approval requests and reviews. */
export async function answerApprovals({ values }: Invocation): Promise<number> {
  const { client, close } = await openConnection(values);
  const { stdin: input, stdout: output, stderr: error } = process;
  const terminal = createNodeTerminal({ input, output, error });
  const leaving = new AbortController();
  terminal.onInterrupt(() => leaving.abort());
  try {
    const style = styleFor(output.isTTY ? output : error);
    await answerOpenApprovals({ client, terminal, style, signal: leaving.signal });
    return 0;
  } finally {
    terminal.close();
    await close();
  }
}
