import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type ContentParts,
  contentParts,
  defineTool,
  isToolError,
  type JsonObject,
  type JsonValue,
  type Tool,
  toolError,
} from "@capstan/core";
import { isContentParts } from "@capstan/core/host";
import { z } from "zod";
import { withFiles } from "../workspace/workspace.ts";
import { createScriptRunner } from "../run/script-runner.ts";
import type { Script, ScriptFunction } from "../definition/script-function.ts";
import { formatCodeResult } from "./run-code.ts";
import { type CodeToolsOptions, describeSandbox } from "./code-options.ts";
import { readVariableValues } from "./code-folder.ts";
import { findPackages, installSeconds, packageErrors, packageNames } from "./python-packages.ts";
import { CapturedOutput } from "./captured-output.ts";
import {
  codeDeadline,
  codeErrors,
  codePermission,
  timeoutSeconds,
  variableNames,
} from "./shell.ts";

const path = fileURLToPath(new URL("../../src/code/python/run_code.py", import.meta.url));

const runCodeFunction: ScriptFunction = {
  name: "run_code",
  description: "",
  parameters: { type: "object" },
  raises: [],
  hasFormat: false,
  wantsContext: false,
  line: 1,
};

/**
 * Creates the tool `Python`: code in a separate process in the sandbox. It returns the value of
 * the last expression.
 */
export function pythonTool(options: CodeToolsOptions, executable: string): Tool {
  const { sandbox, roots = [], write = false, network = false, hidden = [], limits } = options;
  const packagesOf =
    options.packages && findPackages({ ...options, packages: options.packages }, executable);
  const folders = new WeakMap<Script, string>();
  const runner = createScriptRunner({
    sandbox,
    python: () => Promise.resolve({ status: "found", executable }),
    environments: {
      find: (script) => {
        const folder = folders.get(script);
        return Promise.resolve(
          folder === undefined ? { status: "none_needed" } : { status: "installed", folder },
        );
      },
      subscribe: () => () => {},
    },
    environment: {},
    hidden,
    protected: options.protected ?? [],
    ruledRoots: roots.map((path) => ({ path })),
    ...(limits !== undefined && { limits }),
    // Code of a model shares no process with another call, not even the process that forks it.
    pool: { maxCalls: 1 },
    workspace: "filled",
    approvals: {
      approved: () => ({
        file: { network, roots: write ? { write: roots } : { read: roots } },
        functions: {},
      }),
      subscribe: () => () => {},
    },
  });
  return defineTool({
    name: "Python",
    description: `Runs Python in a sandbox: ${describeSandbox(options)}. Returns the output and the value of a last expression; a pathlib.Path there shows the file. vars["name"] holds a variable. The folder os.environ["WORKSPACE"] has the conversation's files, and new files there are kept as files.`,
    parameters: z.object({
      code: z.string().min(1).max(1_000_000),
      variables: variableNames,
      // The parameter exists only if packages can be installed.
      ...((packagesOf === undefined ? {} : { packages: packageNames }) as {
        readonly packages: typeof packageNames;
      }),
      timeout: timeoutSeconds,
    }),
    examples: [
      {
        title: "Calculate with a variable.",
        args: { code: "len(vars['draft'])", variables: ["draft"] },
      },
      ...(packagesOf === undefined
        ? []
        : [
            {
              title: "Use a package of the package index.",
              args: {
                code: "import humanize\nhumanize.intword(12_000_000)",
                packages: ["humanize"],
              },
            },
          ]),
    ],
    errors: {
      ...codeErrors,
      ...(packagesOf !== undefined && packageErrors),
      script_crashed: "The code was killed, or needed too much memory.",
      code_failed: "The code threw; details.output has its output.",
    },
    permission: codePermission,
    ...codeDeadline,
    timeoutMs: ({ timeout, packages = [] }) =>
      packages.length === 0
        ? codeDeadline.timeoutMs({ timeout })
        : ((timeout ?? 60) + installSeconds) * 1_000,
    compressArgs: ({ code }) => code,
    formatForLLM: formatCodeResult,
    execute: async ({ code, variables: names, packages = [] }, context) => {
      const kept = new CapturedOutput((text) => context.output.write(text));
      const variables = await readVariableValues(names, context);
      if (isToolError(variables)) return variables;
      const environment = await packagesOf?.(packages, context);
      if (isToolError(environment)) return environment;
      const script = readRunCode();
      if (environment !== undefined) folders.set(script, environment);
      const { value, files } = await runner.run({
        script,
        function: runCodeFunction,
        arguments: { code, variables, folder: roots[0] ?? null },
        context: { ...context, output: { ...context.output, write: (text) => kept.add(text) } },
        signal: context.signal,
      });
      const output = kept.finish();
      if (isToolError(value))
        return output === ""
          ? value
          : toolError({
              ...value,
              details: { ...(value.details as JsonObject), output: output.slice(-2000) },
            });
      const made = files ?? { parts: [], notes: [] };
      if (isContentParts(value)) return withFiles(withOutput(value, output), "", made);
      const result = { output, ...(value !== null && { value: value as JsonValue }) };
      return withFiles(result, formatCodeResult(result), made);
    },
  });
}

/** Returns the files that code showed as its value, after its output. */
function withOutput({ parts }: ContentParts, output: string): ContentParts {
  return contentParts(output === "" ? parts : [{ type: "text", text: output }, ...parts]);
}

function readRunCode(): Script {
  const content = readFileSync(path);
  const hash = createHash("sha256").update(`11 run_code.py ${content.length}\n`).update(content);
  return {
    path,
    folder: dirname(path),
    language: "python",
    groupId: "code",
    title: "Code",
    rules: "",
    functions: [runCodeFunction],
    problems: [],
    files: ["run_code.py"],
    contentHash: `sha256:${hash.digest("hex")}`,
  };
}
