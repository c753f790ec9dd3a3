import type { Command } from "../arguments/command.ts";
import { textOption } from "../arguments/option.ts";
import { settingOptions } from "../configuration/setting-options.ts";

export const chatCommand: Command = {
  name: "chat",
  summary: "Talk in the terminal, with approvals",
  description: `Talks to the server that holds the data directory, so that the page shows the same conversation;
where none runs, it starts one of its own until you leave. A call that needs your word is asked
about in place. With a pipe as input each line is a message, answers go to standard output and all
else to standard error; calls that ask are then refused, unless --yes allows them.
A server that wants a key gets CAPSTAN_API_KEY.`,
  options: {
    url: {
      type: "string",
      placeholder: "URL",
      description: "Talk to this server instead",
    },
    model: {
      type: "string",
      placeholder: "MODEL",
      description: "Model to talk to, as provider/model",
    },
    continue: { type: "boolean", description: "Go on with the newest conversation" },
    conversation: {
      type: "string",
      placeholder: "ID",
      description: "Go on with this conversation",
    },
    yes: {
      type: "boolean",
      description: "Allow every call that asks, once each; rules still hold",
    },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan chat", says: "try: what can you do?" },
    { line: "capstan chat --continue", says: "where you left off" },
    { line: 'echo "/DateTime {}" | capstan chat', says: "one message, from a script" },
    { line: "capstan chat --url http://127.0.0.1:9000", says: "a server elsewhere" },
  ],
  async run({ values }) {
    const conversation = textOption(values, "conversation");
    if (values["continue"] === true && conversation !== undefined) {
      process.stderr.write("Give --continue or --conversation, not both.\n");
      return 2;
    }
    const { openChat } = await import("./open-chat.ts");
    return openChat({
      url: textOption(values, "url"),
      model: textOption(values, "model"),
      resume:
        conversation !== undefined
          ? { id: conversation }
          : values["continue"] === true
            ? "newest"
            : undefined,
      yes: values["yes"] === true,
      flags: values,
    });
  },
};
