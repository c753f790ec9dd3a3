import type { Command } from "../arguments/command.ts";
import { settingOptions } from "../configuration/setting-options.ts";

export const toolsCommand: Command = {
  name: "tools",
  summary: "List the tools, and who decides about their calls",
  description: `Lists what the configuration offers, without a server: each group and tool, whether a new
conversation has it on, whether its calls run at once (auto), ask a person (ask-once, ask-always) or
never run (deny), and what it does to the world (read, write, locks, exclusive). Switches and rules
are changed in capstan.config.json:
  {"groups": {"web": false}, "rules": [{"tool": "files.*", "execution": "ask-always"}]}`,
  options: {
    json: { type: "boolean", description: "As JSON, with descriptions and parameters" },
    config: settingOptions.config,
  },
  examples: [
    { line: "capstan tools", says: "what a model can call here" },
    { line: "capstan tools --json", says: "the same for a program" },
  ],
  async run({ values }) {
    const [
      { readConfiguration },
      { configuredGroups },
      { openScripts },
      { describeTools, renderTools },
      { styleFor },
      { checkSwitches },
      { runningServerNotice },
    ] = await Promise.all([
      import("./shared/read-configuration.ts"),
      import("../install/configured-groups.ts"),
      import("../install/open-scripts.ts"),
      import("./describe-tools.ts"),
      import("../terminal/style.ts"),
      import("../install/check-switches.ts"),
      import("./shared/running-server-notice.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    const shipped = await configuredGroups(configuration);
    const reserved = shipped.map(({ name }) => name);
    const scripts = await openScripts({ configuration, reserved, watch: false });
    const groups = [...shipped, ...scripts.library.groups];
    await scripts.close();
    for (const warning of checkSwitches(configuration, groups)) {
      process.stderr.write(`warning: ${warning}\n`);
    }
    const beside = await runningServerNotice(configuration.dataDir);
    if (beside !== undefined) process.stderr.write(`${beside}\n`);
    const described = describeTools(groups, configuration);
    process.stdout.write(
      values["json"] === true
        ? `${JSON.stringify(described, null, 2)}\n`
        : renderTools(described, styleFor(process.stdout)),
    );
    return 0;
  },
};
