import type { Command } from "../../command-line/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

export const approveScript: Command = {
  name: "approve",
  summary: "Let a file have what it declares, as it is now",
  description: `Shows what a file declares of its permissions and asks. Your word holds for exactly this content: after
any change of it, or of the private files beside it, the script asks before every call again.
A module (.ts, .js) is loaded into the server once it is approved.`,
  operands: "PATH",
  options: {
    yes: { type: "boolean", description: "Approve without being asked" },
    config: settingOptions.config,
    data: settingOptions.data,
  },
  examples: [{ line: "capstan scripts approve weather.py", says: "look, then answer" }],
  async run({ values, positionals: [path, ...more] }) {
    const [{ approvePath }, { readConfiguration }] = await Promise.all([
      import("./approve-path.ts"),
      import("../read-configuration.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    if (path === undefined || more.length > 0) {
      process.stderr.write("Give it one file, such as `capstan scripts approve weather.py`.\n");
      return 2;
    }
    return approvePath(path, { configuration, yes: values["yes"] === true });
  },
};

export const revokeScript: Command = {
  name: "revoke",
  summary: "Take an approval back",
  description: `The script asks before every call again; a module is taken out of the server at once.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts revoke weather.py", says: "it asks again" }],
  async run({ values, positionals: [path, ...more] }) {
    const [{ revokePath }, { readConfiguration }] = await Promise.all([
      import("./approve-path.ts"),
      import("../read-configuration.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    if (path === undefined || more.length > 0) {
      process.stderr.write("Give it one file, such as `capstan scripts revoke weather.py`.\n");
      return 2;
    }
    return revokePath(path, configuration);
  },
};
