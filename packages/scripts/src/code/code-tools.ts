import {
  defineToolGroup,
  type MissingNeed,
  type Tool,
  type ToolGroup,
  toolError,
  withNeed,
} from "@capstan/core";
import { findProgram, installCommand } from "@capstan/sandbox";
import { findPowerShell } from "../run/powershell/find-powershell.ts";
import type { CodeToolsOptions } from "./code-options.ts";
import { codeRules } from "./code-rules.ts";
import { javascriptTool } from "./javascript-tool.ts";
import { pythonTool } from "./python-tool.ts";
import { type ShellProgram, shellTool } from "./shell.ts";

/**
 * Creates the tools with which a model runs code: `Shell`, `Python`, `JavaScript` and `PowerShell`.
 * Each is offered if its interpreter and a sandbox are available, and otherwise listed with what it
 * needs. JavaScript needs neither, because it has no access to anything but the conversation's
 * files. Every call needs a user's approval.
 *
 * @example
 * const { sandbox } = await findSandbox();
 * codeTools({ sandbox, roots: [process.cwd()] });
 */
export function codeTools(options: CodeToolsOptions): ToolGroup {
  return defineToolGroup({
    name: "code",
    needsAdmin: true,
    title: "Code",
    description: "Runs code in a sandbox, after asking.",
    tools: [...confinedTools(options), javascriptTool(options)],
    rulePrompt:
      "Pass values by the call's variables instead of pasting them into code. A user reads each call before it runs: keep code short and plain.",
    declareSkillRules: codeRules,
  });
}

function confinedTools(options: CodeToolsOptions): readonly Tool[] {
  const { find = findProgram } = options;
  const bash = find("bash");
  const python = find("python3");
  const pwsh = options.powershell ?? find("pwsh");
  const missing = (path: string | undefined, need: MissingNeed): MissingNeed | undefined =>
    options.sandbox.kind === "none" ? sandboxNeed(options) : path === undefined ? need : undefined;
  // A tool without its interpreter is never called, so its path has no effect.
  return [
    ...withNeed(missing(bash, { needs: "Bash", fix: installCommand("bash") }), [
      shellTool(bashProgram(bash ?? "bash"), options),
    ]),
    ...withNeed(
      missing(python, {
        needs: "Python 3",
        fix: installCommand("python3", { pacman: "python", brew: "python" }),
      }),
      [pythonTool(options, python ?? "python3")],
    ),
    ...withNeed(
      missing(pwsh, {
        needs: "PowerShell 7",
        fix: "Install PowerShell 7: https://aka.ms/install-powershell",
      }),
      [shellTool(powershellProgram(pwsh ?? "pwsh"), options)],
    ),
  ];
}

function sandboxNeed({ sandboxFix }: CodeToolsOptions): MissingNeed {
  return { needs: "a sandbox", ...(sandboxFix !== undefined && { fix: sandboxFix }) };
}

function bashProgram(path: string): ShellProgram {
  return {
    tool: "Shell",
    language: "Bash",
    path,
    args: ["--norc", "--noprofile"],
    file: "command.sh",
    example: { title: "Count the lines of a file.", args: { command: "wc -l README.md" } },
    variables: "A variable NAME is the file $VARS/NAME, with . as %2E and / as %2F.",
  };
}

function powershellProgram(path: string): ShellProgram {
  let found: ReturnType<typeof findPowerShell> | undefined;
  return {
    tool: "PowerShell",
    language: "PowerShell",
    path,
    args: ["-NoLogo", "-NoProfile", "-NonInteractive", "-File"],
    file: "command.ps1",
    example: {
      title: "List the largest files.",
      args: { command: "Get-ChildItem | Sort-Object Length" },
    },
    variables: "A variable NAME is the file $env:VARS/NAME, with . as %2E and / as %2F.",
    // .NET reserves far more address space than it uses.
    limits: { addressBytes: 0 },
    async place() {
      found ??= findPowerShell({ interpreter: path });
      const shell = await found;
      if (shell.status === "missing") found = undefined;
      return shell.status === "found"
        ? { read: shell.folders, env: shell.env }
        : toolError({ code: "powershell_missing", message: shell.message });
    },
  };
}
