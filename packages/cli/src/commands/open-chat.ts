import { chat, type ChatOptions } from "../chat/chat.ts";
import { createNodeTerminal } from "../terminal/node-terminal.ts";
import { styleFor } from "../terminal/style.ts";
import type { OptionValues } from "../arguments/option.ts";
import { openConnection } from "./shared/open-connection.ts";

export interface OpenChatOptions extends Pick<ChatOptions, "model" | "resume" | "yes"> {
  readonly url: string | undefined;
  readonly flags: OptionValues;
}

/** Finds or starts a server, and opens a chat in this process's terminal. @returns the exit code */
export async function openChat({
  url,
  flags,
  model,
  resume,
  yes,
}: OpenChatOptions): Promise<number> {
  // The model is the chat's choice here, not the server's default.
  const opened = await openConnection({ url, flags: { ...flags, model: undefined } });
  if (opened.status === "failed") return opened.exitCode;
  const { connection } = opened;
  const { stdin: input, stdout: output, stderr: error } = process;
  const terminal = createNodeTerminal({ input, output, error });
  const style = styleFor(output.isTTY ? output : error);
  try {
    return await chat({ client: connection.client, terminal, style, model, resume, yes });
  } finally {
    await connection.close();
  }
}
