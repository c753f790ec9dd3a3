import {
  contentParts,
  defineTool,
  isToolError,
  type Tool,
  type ToolContext,
  type ToolError,
  toolError,
} from "@capstan/core";
import { hiddenPaths, readOnlyPaths } from "@capstan/sandbox";
import { z } from "zod";
import { codeFolderInside, makeCodeFolder } from "./code-folder.ts";
import { type CodeToolsOptions, describeSandbox } from "./code-options.ts";
import { runCode } from "./run-code.ts";
import { makeWorkspace, workspaceInside, workspaceQuota } from "./workspace.ts";

/** The schema of the argument that names variables. */
export const variableNames = z
  .array(z.string())
  .max(100)
  .default([])
  .describe("Names of session variables to pass.");

/** Every call of code needs approval, which covers the variables that it is given. */
export const codePermission: NonNullable<Tool["permission"]> = {
  executionPolicy: "ask-always",
  readsVariables: ({ variables }) => (variables ?? []) as readonly string[],
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
  });
  return defineTool({
    name: shell.tool,
    description: `Runs ${shell.language} in a sandbox: ${describeSandbox(options)}. $WORKSPACE has the conversation's files, and new files there are kept as files. ${shell.variables}`,
    parameters,
    permission: codePermission,
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
  const workspace = await makeWorkspace(context);
  const watch = workspace.watch();
  try {
    const { roots = [], write = false, network = false, hidden = [], limits = {} } = options;
    const [first] = roots;
    const { output, end } = await runCode({
      sandbox: options.sandbox,
      context: { ...context, signal: AbortSignal.any([context.signal, watch.signal]) },
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
    watch.stop();
    if (end.status === "exited") {
      const result = { output, exitCode: end.code };
      const { parts, notes } = await workspace.changes();
      if (parts.length === 0) return result;
      const text = [formatShellResult(result), ...notes].join("\n");
      return contentParts([{ type: "text", text }, ...parts]);
    }
    const why = end.status === "killed" ? `It was ended by ${end.signal}.` : end.message;
    return toolError({
      code: "command_ended",
      message: why,
      details: { output: output.slice(-2000) },
    });
  } catch (thrown) {
    if (!watch.signal.aborted || context.signal.aborted) throw thrown;
    return workspaceFull();
  } finally {
    watch.stop();
    await workspace.remove();
    await folder.remove();
  }
}

function workspaceFull(): ToolError {
  const megabytes = workspaceQuota.bytes / 1024 / 1024;
  return toolError({
    code: "workspace_full",
    message: `The command was stopped, because $WORKSPACE had more than ${megabytes} MB or ${5 * workspaceQuota.files} files. Its files were not kept. Write less there.`,
  });
}

function formatShellResult({ output, exitCode }: ShellResult): string {
  const text = output === "" ? "[No output.]" : output;
  return exitCode === 0 ? text : `${text.replace(/\n$/, "")}\n[exit code ${exitCode}]`;
}
