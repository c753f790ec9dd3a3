import type { Command } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

export const checkScripts: Command = {
  name: "check",
  summary: "Say what is wrong with scripts, and where",
  description: `Reads script files anew, without running them, and prints what is wrong as file:line:column, which
editors jump to: syntax, types that are not known, parameters without documentation, permissions
that make no sense. Ends with 1 where there is an error; warnings alone end with 0.
Without paths: the folders of the configuration.`,
  operands: "[PATH…]",
  options: {
    json: { type: "boolean", description: "As JSON, with definitions and what files declare" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts check", says: "all scripts of the configuration" },
    { line: "capstan scripts check weather.py", says: "one file, wherever it lies" },
  ],
  async run({ values, positionals }) {
    const [{ checkPaths }, { readConfiguration }, { problemLines }] = await Promise.all([
      import("./check-paths.ts"),
      import("../shared/read-configuration.ts"),
      import("../../install/problem-lines.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    const checked = await checkPaths(positionals, configuration.scripts);
    const problems = checked.flatMap((file) => file.problems);
    const hasErrors = problems.some(({ severity }) => severity === "error");
    if (values["json"] === true) {
      process.stdout.write(`${JSON.stringify(checked, null, 2)}\n`);
      return hasErrors ? 1 : 0;
    }
    for (const line of problemLines(problems, process.cwd())) process.stdout.write(`${line}\n`);
    const tools = checked.reduce((sum, { functions }) => sum + functions.length, 0);
    process.stderr.write(
      `${checked.length} ${checked.length === 1 ? "file" : "files"}, ${tools} ${tools === 1 ? "tool" : "tools"}, ${problems.length === 0 ? "nothing wrong" : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`}\n`,
    );
    return hasErrors ? 1 : 0;
  },
};
