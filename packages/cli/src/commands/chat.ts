import { type Invocation, textOption } from "../arguments/command.ts";
import { chat } from "../chat/chat.ts";
import { createCompletion } from "../chat/complete-line.ts";
import { createNodeTerminal } from "../terminal/node-terminal.ts";
import { styleFor } from "../terminal/style.ts";
import { openConnection } from "./shared/open-connection.ts";
import { readResume } from "./shared/read-resume.ts";

/** Finds or starts a server, and opens a chat in this process's terminal. */
export async function openChat({ values }: Invocation): Promise<number> {
  const resume = readResume(values);
  // The model is an option of the chat here, not the server's default.
  const { client, close } = await openConnection({ ...values, model: undefined });
  const { stdin: input, stdout: output, stderr: error } = process;
  const complete = createCompletion({ client });
  const terminal = createNodeTerminal({ input, output, error }, { complete });
  try {
    return await chat({
      client,
      terminal,
      style: styleFor(output.isTTY ? output : error),
      model: textOption(values, "model"),
      resume,
      yes: values["yes"] === true,
    });
  } finally {
    await close();
  }
}
