import type { Command } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

export const listScripts: Command = {
  name: "list",
  summary: "List script files, their tools, and whether a person approved them",
  description: `Lists each file of the configuration's folders with its group and tools. A script that nobody approved
asks before every call and runs without network, folders and secrets; once approved, what it
declares holds for exactly this content. A module (.ts, .js) is not loaded before it is approved.`,
  options: {
    json: { type: "boolean", description: "As JSON, with definitions" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [
    { line: "capstan scripts list", says: "what lies in the folders" },
    { line: "capstan scripts list --json", says: "the same for a program" },
  ],
  async run({ values }) {
    const [
      { openScripts },
      { readConfiguration },
      { listedFiles, renderList },
      { problemLines },
      { styleFor },
      { runningServerNotice },
    ] = await Promise.all([
      import("../../install/open-scripts.ts"),
      import("../shared/read-configuration.ts"),
      import("./listed-files.ts"),
      import("../../install/problem-lines.ts"),
      import("../../terminal/style.ts"),
      import("../shared/running-server-notice.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    const scripts = await openScripts({ configuration, reserved: [], watch: false });
    try {
      const beside = await runningServerNotice(configuration.dataDir);
      if (beside !== undefined) process.stderr.write(`${beside}\n`);
      const files = listedFiles(scripts.library, scripts.approvals);
      if (values["json"] === true) {
        process.stdout.write(`${JSON.stringify(files, null, 2)}\n`);
        return 0;
      }
      process.stdout.write(
        renderList(files, configuration.scripts.folders, styleFor(process.stdout)),
      );
      const problems = scripts.library.files.flatMap((file) => file.problems);
      for (const line of problemLines(problems, process.cwd())) process.stderr.write(`${line}\n`);
      return 0;
    } finally {
      await scripts.close();
    }
  },
};
