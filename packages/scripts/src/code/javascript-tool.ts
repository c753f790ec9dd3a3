import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  defineTool,
  isToolError,
  type JsonValue,
  type Tool,
  type ToolContext,
  type ToolError,
  toolError,
} from "@capstan/core";
import { z } from "zod";
import { workerModule } from "@capstan/sandbox";
import { withFiles, type Workspace, workspaceInside } from "../workspace/workspace.ts";
import { type CodeResult, formatCodeResult, runCode } from "./run-code.ts";
import { inWorkspace } from "./in-workspace.ts";
import type { CodeToolsOptions } from "./code-options.ts";
import { readVariableValues } from "./code-folder.ts";
import {
  codeDeadline,
  codeErrors,
  codePermission,
  timeoutSeconds,
  variableNames,
} from "./shell.ts";

type Answer =
  | { readonly type: "result"; readonly value?: JsonValue }
  | { readonly type: "error"; readonly name: string; readonly message: string };

const program = fileURLToPath(workerModule("javascript-program", import.meta.url));
const memoryMb = 256;

/**
 * Creates the tool `JavaScript`: code in an isolate without any I/O, in a separate process in the
 * sandbox.
 */
export function javascriptTool({ sandbox }: Pick<CodeToolsOptions, "sandbox">): Tool {
  return defineTool({
    name: "JavaScript",
    description:
      "Runs JavaScript without network or timers. Returns the output of console.log and the value of a last expression; await works. vars holds the variables by name. files.list(), files.read(name), files.readBytes(name) and files.write(name, textOrBytes) use the conversation's files, and new files are kept.",
    parameters: z.object({
      code: z.string().min(1).max(1_000_000),
      variables: variableNames,
      timeout: timeoutSeconds,
    }),
    examples: [{ title: "Calculate a value.", args: { code: "[1, 2, 3].map((n) => n * n)" } }],
    errors: {
      ...codeErrors,
      code_ended:
        "The code was killed, or needed too much memory; details.output has the end of its output.",
      code_failed: "The code threw; details.output has its output.",
    },
    permission: codePermission,
    ...codeDeadline,
    compressArgs: ({ code }) => code,
    formatForLLM: formatCodeResult,
    execute: async ({ code, variables: names }, context) => {
      const variables = await readVariableValues(names, context);
      if (isToolError(variables)) return variables;
      return inWorkspace(context, async (workspace, signal) => {
        const run = await runIsolate({ sandbox, code, variables, workspace, context, signal });
        if (isToolError(run)) return run;
        return withFiles(run, formatCodeResult(run), await workspace.changes());
      });
    },
  });
}

/** Runs code in an isolate, and returns its output and its value. */
async function runIsolate({
  sandbox,
  code,
  variables,
  workspace,
  context,
  signal,
}: Pick<CodeToolsOptions, "sandbox"> & {
  readonly code: string;
  readonly variables: { readonly [name: string]: JsonValue };
  readonly workspace: Workspace;
  readonly context: ToolContext;
  readonly signal: AbortSignal;
}): Promise<CodeResult | ToolError> {
  const isolate = findIsolate();
  const folder = sandbox.kind === "none" ? workspace.path : workspaceInside;
  const { output, end, answer } = await runCode({
    sandbox,
    context: { ...context, signal },
    // The engine's own messages on failure do not help a model.
    errors: "dropped",
    stdin: JSON.stringify({ code, variables, memoryMb, folder }),
    program: {
      command: process.execPath,
      args: ["--no-node-snapshot", program, isolate.file, isolate.parser],
      read: [
        realpathSync(process.execPath),
        process.execPath,
        dirname(program),
        ...isolate.packages,
      ],
      shown: [{ at: workspaceInside, from: workspace.path, write: true }],
      // V8 reserves far more than it uses; the isolate has its own limit.
      limits: { addressBytes: 0, memoryBytes: 4 * 1024 * 1024 * 1024 },
    },
  });
  const reply = answer as unknown as Answer | undefined;
  if (reply?.type === "result")
    return { output, ...(reply.value !== undefined && { value: reply.value }) };
  if (reply?.type === "error")
    return toolError({
      code: "code_failed",
      message: `${reply.name}: ${reply.message}`,
      ...(output !== "" && { details: { output: output.slice(-2000) } }),
    });
  return toolError({
    code: "code_ended",
    message: `The code ended without a result${end.status === "killed" ? `, by ${end.signal}` : ""}. It may have needed more than ${memoryMb} MB.`,
    ...(output !== "" && { details: { output: output.slice(-2000) } }),
  });
}

/** Returns the modules of the isolate and of the parser, and the packages that they need. */
function findIsolate(): {
  readonly file: string;
  readonly parser: string;
  readonly packages: readonly string[];
} {
  const file = realpathSync(fileURLToPath(import.meta.resolve("isolated-vm")));
  const loader = realpathSync(createRequire(file).resolve("node-gyp-build"));
  const parser = realpathSync(fileURLToPath(import.meta.resolve("acorn")));
  return { file, parser, packages: [dirname(file), dirname(loader), dirname(dirname(parser))] };
}
