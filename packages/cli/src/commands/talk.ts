import { chat, type ChatOptions } from "../chat/chat.ts";
import { type Connection, connect } from "../chat/connect.ts";
import { createNodeTerminal } from "../chat/node-terminal.ts";
import { styleFor } from "../chat/style.ts";
import type { OptionValues } from "../command-line/option.ts";
import { readConfiguration } from "./read-configuration.ts";
import { startFailure } from "./start-failure.ts";

export interface TalkOptions extends Pick<ChatOptions, "model" | "resume" | "yes"> {
  readonly url: string | undefined;
  readonly flags: OptionValues;
}

/** Finds or starts a server, and chats in this process's terminal. @returns the exit code */
export async function talk({ url, flags, model, resume, yes }: TalkOptions): Promise<number> {
  const environment = process.env;
  let connection: Connection;
  if (url !== undefined) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
      process.stderr.write(
        `--url: expected an address such as http://127.0.0.1:8787, got ${url}\n`,
      );
      return 2;
    }
    connection = connect.to(url, environment);
  } else {
    // The model is the chat's choice here, not the server's default.
    const configuration = await readConfiguration({ ...flags, model: undefined });
    if (!configuration) return 2;
    try {
      connection = await connect.toHolder({ configuration, environment });
    } catch (error) {
      const why = await startFailure(error, configuration);
      if (why === undefined) throw error;
      process.stderr.write(`${why}\n`);
      return 1;
    }
  }
  const { stdin: input, stdout: output, stderr: error } = process;
  const terminal = createNodeTerminal({ input, output, error });
  const style = styleFor(output.isTTY ? output : error);
  try {
    return await chat({ client: connection.client, terminal, style, model, resume, yes });
  } finally {
    await connection.close();
  }
}
