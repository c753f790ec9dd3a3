import type { Command } from "../arguments/command.ts";
import { textOption } from "../arguments/option.ts";
import { settingOptions } from "../configuration/setting-options.ts";

export const rulesCommand: Command = {
  name: "rules",
  summary: "Your own rules: which calls ask you, run at once, or never run",
  operands: "[list | set TOOL | remove RULE]",
  description: `Lists, changes and removes your own rules, at the server that holds the data directory; where none
runs, one is started for the moment. A rule is about a tool (files.ViewFile), a group ('files.*') or
all ('*'), with --when for calls with such arguments only. It may say
  --execution  auto: runs at once; ask-once: asks the first time; ask-always; deny: never runs
  --result     never, on-error or always: whether you see a result before the model does
  --minutes    how long a question stays open
What you leave out stays as it was, and reset takes it back. A change counts from the next call on.
You can be stricter than the administrator's rules in capstan.config.json, never looser: a wish
that comes to nothing is kept, and marked.`,
  options: {
    execution: {
      type: "string",
      placeholder: "WORD",
      description: "auto, ask-once, ask-always, deny, or reset",
    },
    result: {
      type: "string",
      placeholder: "WORD",
      description: "never, on-error, always, or reset",
    },
    when: {
      type: "string",
      placeholder: "TEST",
      description: "Arguments: path=docs/** or JSON; see docs/reference/policy.md",
    },
    minutes: {
      type: "string",
      placeholder: "N",
      description: "How long a question stays open, or reset",
    },
    reason: {
      type: "string",
      placeholder: "WORDS",
      description: "Shown when it asks, read by the model when it denies; or reset",
    },
    json: { type: "boolean", description: "As JSON, for programs" },
    url: { type: "string", placeholder: "URL", description: "Talk to this server instead" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan rules", says: "those you have, and whether they have an effect" },
    { line: "capstan rules set 'web.*' --execution ask-always", says: "ask before every request" },
    {
      line: "capstan rules set '*' --when 'path=secrets/**' --execution deny",
      says: "some files never",
    },
    { line: "capstan rules remove 'web.*'", says: "as it was before" },
  ],
  async run(invocation) {
    const { values } = invocation;
    const [{ readRulesAction }, { applyRulesAction }, { styleFor }, { openConnection }] =
      await Promise.all([
        import("./rules/read-rules-action.ts"),
        import("./rules/apply-rules-action.ts"),
        import("../terminal/style.ts"),
        import("./shared/open-connection.ts"),
      ]);
    const action = readRulesAction(invocation);
    if (action.type === "refused") {
      process.stderr.write(`${action.message} \`capstan rules --help\` shows what there is.\n`);
      return 2;
    }
    const opened = await openConnection({ url: textOption(values, "url"), flags: values });
    if (opened.status === "failed") return opened.exitCode;
    const { connection } = opened;
    try {
      const style = styleFor(process.stdout);
      const asJson = values["json"] === true;
      process.stdout.write(
        await applyRulesAction(action, { client: connection.client, style, asJson }),
      );
      return 0;
    } finally {
      await connection.close();
    }
  },
};
