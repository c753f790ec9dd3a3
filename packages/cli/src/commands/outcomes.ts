import type { Command } from "../arguments/command.ts";
import { textOption } from "../arguments/option.ts";
import { settingOptions } from "../configuration/setting-options.ts";

export const outcomesCommand: Command = {
  name: "outcomes",
  summary: "Say what became of calls of which nobody knows whether they happened",
  description: `Finds, in all your conversations, the calls that had begun when a server ended and may or may not
have happened, and asks about each: it happened, it did not, run it again; Enter leaves one for
later. With a pipe as input it only lists them. A server that wants a key gets CAPSTAN_API_KEY.`,
  options: {
    url: { type: "string", placeholder: "URL", description: "Talk to this server instead" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [{ line: "capstan outcomes", says: "asks about each, the oldest first" }],
  async run({ values }) {
    const [{ answerOpenOutcomes }, { createNodeTerminal }, { styleFor }, { openConnection }] =
      await Promise.all([
        import("../chat/unknown-outcomes.ts"),
        import("../terminal/node-terminal.ts"),
        import("../terminal/style.ts"),
        import("./shared/open-connection.ts"),
      ]);
    const opened = await openConnection({ url: textOption(values, "url"), flags: values });
    if (opened.status === "failed") return opened.exitCode;
    const { connection } = opened;
    const { stdin: input, stdout: output, stderr: error } = process;
    const terminal = createNodeTerminal({ input, output, error });
    const leaving = new AbortController();
    terminal.onInterrupt(() => leaving.abort());
    try {
      const style = styleFor(output.isTTY ? output : error);
      const { client } = connection;
      await answerOpenOutcomes({ client, terminal, style, signal: leaving.signal });
      return 0;
    } finally {
      terminal.close();
      await connection.close();
    }
  },
};
