import {
  defineTool,
  isToolError,
  type Tool,
  type ToolContext,
  type ToolError,
  type ToolExample,
  toolError,
} from "@capstan/core";
import { hiddenPaths, readOnlyPaths } from "@capstan/sandbox";
import { z } from "zod";
import { type CodeFolder, codeFolderInside, makeCodeFolder } from "./code-folder.ts";
import { type CodeToolsOptions, describeSandbox } from "./code-options.ts";
import { runCode } from "./run-code.ts";
import { withFiles, type Workspace, workspaceInside } from "../workspace/workspace.ts";
import { inWorkspace } from "./in-workspace.ts";

/** The schema of the argument that names variables. */
export const variableNames = z
  .array(z.string())
  .max(100)
  .default([])
  .describe("Names of session variables to pass.");

/** The schema of the argument that limits the running time. */
export const timeoutSeconds = z
  .int()
  .min(1)
  .max(600)
  .optional()
  .describe("Seconds until it is stopped. Default: the server's limit, usually 60.");

/** The deadline of each call, and the time that its processes have to end. */
export const codeDeadline = {
  timeoutMs: ({ timeout }: { readonly timeout?: number | undefined }) =>
    timeout === undefined ? undefined : timeout * 1_000,
  stopMs: 5_000,
};

/** Every call of code needs approval, which covers the variables that it is given. */
export const codePermission: NonNullable<Tool["permission"]> = {
  executionPolicy: "ask-always",
  readsVariables: ({ variables }) => (variables ?? []) as readonly string[],
};

/** The errors that every tool of the group has, for their documentation. */
export const codeErrors = {
  variable_not_found: "There is no variable of this name.",
  workspace_full: "The files in the workspace exceed its quota.",
};

/** An interpreter of command lines. */
export interface ShellProgram {
  readonly tool: "Shell" | "PowerShell";
  readonly language: string;
  readonly path: string;
  /** The arguments before the file to run. */
  readonly args: readonly string[];
  readonly file: string;
  readonly variables: string;
  readonly example: ToolExample;
  readonly limits?: { readonly addressBytes: number };
  /** Returns the path of its installation, if that is not in the system's folders. */
  readonly place?: () => Promise<ShellPlace | ToolError>;
}

interface ShellPlace {
  readonly read: readonly string[];
  readonly env: { readonly [name: string]: string };
}

interface ShellResult {
  readonly output: string;
  readonly exitCode: number;
}

/** Creates the tool `Shell` or `PowerShell`: commands in the sandbox. */
export function shellTool(shell: ShellProgram, options: CodeToolsOptions): Tool {
  const parameters = z.object({
    command: z.string().min(1).max(1_000_000).describe(`${shell.language}, one line or many.`),
    variables: variableNames,
    timeout: timeoutSeconds,
  });
  return defineTool({
    name: shell.tool,
    description: `Runs ${shell.language} in a sandbox: ${describeSandbox(options)}. $WORKSPACE has the conversation's files, and new files there are kept as files. ${shell.variables}`,
    parameters,
    examples: [shell.example],
    errors: {
      ...codeErrors,
      command_ended: "The command was killed; details.output has the end of its output.",
    },
    permission: codePermission,
    ...codeDeadline,
    compressArgs: ({ command }) => command,
    formatForLLM: formatShellResult,
    execute: async (args, context) => runCommand(shell, args, context, options),
  });
}

async function runCommand(
  shell: ShellProgram,
  args: { readonly command: string; readonly variables: readonly string[] },
  context: ToolContext,
  options: CodeToolsOptions,
) {
  const place = (await shell.place?.()) ?? { read: [], env: {} };
  if (isToolError(place)) return place;
  const folder = await makeCodeFolder({
    main: shell.file,
    code: args.command,
    context,
    names: args.variables,
  });
  if (isToolError(folder)) return folder;
  try {
    return await inWorkspace(context, async (workspace, signal) => {
      const run = await runShell(shell, { place, folder, workspace, signal }, context, options);
      if (isToolError(run)) return run;
      return withFiles(run, formatShellResult(run), await workspace.changes());
    });
  } finally {
    await folder.remove();
  }
}

interface ShellRun {
  readonly place: ShellPlace;
  readonly folder: CodeFolder;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
}

async function runShell(
  shell: ShellProgram,
  { place, folder, workspace, signal }: ShellRun,
  context: ToolContext,
  options: CodeToolsOptions,
): Promise<ShellResult | ToolError> {
  const { roots = [], write = false, network = false, hidden = [], limits = {} } = options;
  const [first] = roots;
  const { output, end } = await runCode({
    sandbox: options.sandbox,
    context: { ...context, signal },
    program: {
      command: shell.path,
      args: [...shell.args, `${codeFolderInside}/${shell.file}`],
      env: { VARS: `${codeFolderInside}/vars`, WORKSPACE: workspaceInside, ...place.env },
      shown: [
        { at: codeFolderInside, from: folder.path },
        { at: workspaceInside, from: workspace.path, write: true },
      ],
      read: [
        ...(write ? [] : roots),
        ...(shell.path.startsWith("/usr/") ? [] : [shell.path]),
        ...place.read,
      ],
      write: write ? roots : [],
      hidden: await hiddenPaths({
        roots: roots.map((path) => ({ path })),
        denied: context.denied(),
        always: hidden,
        visible: roots,
      }),
      denied: context.denied(),
      protected: await readOnlyPaths({
        protected: options.protected ?? [],
        write: write ? roots : [],
        hidden,
      }),
      network,
      ...(first !== undefined && { folder: first }),
      limits: { ...shell.limits, ...limits },
    },
  });
  if (end.status === "exited") return { output, exitCode: end.code };
  const why = end.status === "killed" ? `It was killed by ${end.signal}.` : end.message;
  return toolError({
    code: "command_ended",
    message: why,
    details: { output: output.slice(-2000) },
  });
}

function formatShellResult({ output, exitCode }: ShellResult): string {
  const text = output === "" ? "[No output.]" : output;
  return exitCode === 0 ? text : `${text.replace(/\n$/, "")}\n[exit code ${exitCode}]`;
}
