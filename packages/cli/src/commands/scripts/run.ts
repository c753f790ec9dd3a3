import type { Command } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

export const runScript: Command = {
  name: "run",
  summary: "Call a tool of a script, as a model would",
  description: `Makes one call through the same gate and sandbox as a model's: arguments are checked, the deadline
holds, the administrator's rules too. Who asks is you, so you are not asked. What the script prints
goes to standard error while it runs, what the model would read to standard output. Ends with 1
where the call fails.`,
  operands: "GROUP.TOOL [ARGUMENTS]",
  options: {
    json: { type: "boolean", description: "The whole result as JSON, with its data" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: `capstan scripts run weather.greet '{"name": "Bo"}'`, says: "arguments are JSON" },
  ],
  async run({ values, positionals: [tool, args = "{}", ...more] }) {
    const [{ runTool }, { readConfiguration }] = await Promise.all([
      import("./run-tool.ts"),
      import("../shared/read-configuration.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    if (tool === undefined || more.length > 0) {
      process.stderr.write(
        `Give it a tool and its arguments as one JSON object: capstan scripts run weather.greet '{"name": "Bo"}'.\n`,
      );
      return 2;
    }
    const result = await runTool({ tool, args, configuration });
    process.stdout.write(
      values["json"] === true ? `${JSON.stringify(result, null, 2)}\n` : `${result.text}\n`,
    );
    return result.status === "success" ? 0 : 1;
  },
};
