import type { Command } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

export const installScript: Command = {
  name: "install",
  summary: "Install the packages that a plugin folder requires",
  description: `Installs what the requirements.txt of a plugin folder names into an environment of its own in the data
directory, in the sandbox, and shows what pip says. Nothing is ever installed without this command.
The environment is that of this requirements.txt and this Python: a change of either needs it again.
Where requirements.txt names more than packages of the index, such as ./wheels or --find-links, it is this
folder's alone, and a change of any file in it but its main file needs it again.
pip's own settings hold: PIP_INDEX_URL, PIP_FIND_LINKS and the like.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts install maps", says: "what maps/requirements.txt names" }],
  async run({ values, positionals: [path, ...more] }) {
    const [{ installPath }, { readConfiguration }] = await Promise.all([
      import("./install-path.ts"),
      import("../shared/read-configuration.ts"),
    ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    if (path === undefined || more.length > 0) {
      process.stderr.write("Give it one plugin folder, such as `capstan scripts install maps`.\n");
      return 2;
    }
    return installPath(path, configuration);
  },
};
