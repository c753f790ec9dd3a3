import type { Command, Invocation } from "../../arguments/command.ts";
import type { Configuration } from "../../configuration/configuration.ts";
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
  async run(invocation) {
    const asked = await oneFile("approve", invocation);
    if (!asked) return 2;
    const { approvePath } = await import("./approve-path.ts");
    const { path, configuration } = asked;
    return approvePath(path, { configuration, yes: invocation.values["yes"] === true });
  },
};

export const revokeScript: Command = {
  name: "revoke",
  summary: "Take an approval back",
  description: `The script asks before every call again; a module is taken out of the server at once.`,
  operands: "PATH",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [{ line: "capstan scripts revoke weather.py", says: "it asks again" }],
  async run(invocation) {
    const asked = await oneFile("revoke", invocation);
    if (!asked) return 2;
    const { revokePath } = await import("./approve-path.ts");
    return revokePath(asked.path, asked.configuration);
  },
};

/** The file that the command line names, or undefined: what is wrong was said on standard error. */
async function oneFile(
  command: string,
  { values, positionals: [path, ...more] }: Invocation,
): Promise<{ readonly path: string; readonly configuration: Configuration } | undefined> {
  const { readConfiguration } = await import("../shared/read-configuration.ts");
  const configuration = await readConfiguration(values);
  if (!configuration) return undefined;
  if (path !== undefined && more.length === 0) return { path, configuration };
  process.stderr.write(`Give it one file, such as \`capstan scripts ${command} weather.py\`.\n`);
  return undefined;
}
