import type { Command } from "../../arguments/command.ts";
import { settingOptions } from "../../configuration/setting-options.ts";

export const newScript: Command = {
  name: "new",
  summary: "Begin a script of tools",
  description: `Writes a small working file into the first of the configuration's folders: a function with types, its
documentation, a default, and a format. Change it, and what changed is live at once in a server that
runs. The ending says which language: .py (the default), .ps1, or .ts.`,
  operands: "NAME",
  options: { config: settingOptions.config, data: settingOptions.data },
  examples: [
    { line: "capstan scripts new weather", says: "weather.py" },
    { line: "capstan scripts new backup.ps1", says: "PowerShell" },
  ],
  async run({ values, positionals: [name, ...more] }) {
    const [{ mkdir, writeFile }, { join }, { readConfiguration }, { readScriptName, templates }] =
      await Promise.all([
        import("node:fs/promises"),
        import("node:path"),
        import("../shared/read-configuration.ts"),
        import("@capstan/scripts"),
      ]);
    const configuration = await readConfiguration(values);
    if (!configuration) return 2;
    const [folder] = configuration.scripts.folders;
    const refuse = (message: string) => {
      process.stderr.write(`${message}\n`);
      return 2;
    };
    if (name === undefined || more.length > 0)
      return refuse("Give it one name, such as `capstan scripts new weather`.");
    if (folder === undefined)
      return refuse(
        'There is no folder for tools: name one in scripts.folders, such as ["tools"].',
      );
    const named = readScriptName(name);
    if (named.status === "refused") return refuse(named.message);
    const path = join(folder, `${named.stem}.${named.kind}`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(path, templates[named.kind](named.stem), { flag: "wx" });
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      process.stderr.write(
        code === "EEXIST"
          ? `${path} is there already.\n`
          : `${path} cannot be written (${code ?? "error"}).\n`,
      );
      return 1;
    }
    process.stdout.write(
      `${path}\nTry it:  capstan scripts check ${named.stem}.${named.kind}, then capstan scripts list\n`,
    );
    return 0;
  },
};
