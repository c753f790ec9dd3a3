import type { CommandGroup } from "../../arguments/command.ts";
import { approveScript, revokeScript } from "./approve.ts";
import { checkScripts } from "./check.ts";
import { installScript } from "./install.ts";
import { listScripts } from "./list.ts";
import { newScript } from "./new.ts";
import { runScript } from "./run.ts";

export const scriptsCommand: CommandGroup = {
  name: "scripts",
  summary: "Tools written as Python, PowerShell or TypeScript files",
  description: `A .py or .ps1 file in a folder of tools gives the model a group of tools: each public function is one,
with its documentation and types. What a file says is read without running it, and what changes
is live at once. The folder is capstan-tools, here, or what the configuration says:
  {"scripts": {"folders": ["tools"]}}`,
  examples: [
    { line: "capstan scripts new weather", says: "begin a Python file" },
    { line: "capstan scripts check", says: "what is wrong, as file:line" },
    { line: "capstan scripts list", says: "the tools there are" },
    { line: `capstan scripts run weather.greet '{"name": "Bo"}'`, says: "try one" },
  ],
  subcommands: [
    listScripts,
    checkScripts,
    newScript,
    runScript,
    approveScript,
    revokeScript,
    installScript,
  ],
};
