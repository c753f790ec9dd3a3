import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after } from "node:test";
import type { JsonObject, ToolContext } from "@capstan/core";
import type { Sandbox } from "@capstan/sandbox";
import {
  createScriptRunner,
  type ScriptRunner,
  type ScriptRunnerOptions,
} from "../run/script-runner.ts";
import type {
  DeclaredPermissions,
  Script,
  ApprovedContents,
  ScriptFunction,
  ScriptReturn,
} from "../definition/script-function.ts";
import { fakeContext } from "@capstan/core/testing";
import { confined } from "@capstan/sandbox/testing";

/** Returns a script as reading would, with functions found by a simple search. */
export function scriptFile(
  path: string,
  source: string,
  others: { readonly [name: string]: string | Uint8Array } = {},
): Script {
  const folder = dirname(path);
  const contents = { ...others, [basename(path)]: source };
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const files = Object.keys(contents).sort();
  const hash = createHash("sha256");
  for (const name of files) {
    const content = readFileSync(join(folder, name));
    hash.update(`${Buffer.byteLength(name)} ${name} ${content.length}\n`).update(content);
  }
  return {
    path,
    folder,
    language: "python",
    groupId: basename(path, ".py"),
    title: basename(path, ".py"),
    rules: "",
    functions: [...source.matchAll(/^(?:async )?def ([a-z]\w*)\(([\s\S]*?)\):/gm)].map(
      ([, name = "", parameters = ""]): ScriptFunction => ({
        name,
        description: "",
        parameters: { type: "object" },
        raises: [],
        hasFormat: source.includes(`${name}.format =`),
        wantsContext: /\bcontext\b/.test(parameters),
        line: 1,
      }),
    ),
    problems: [],
    files,
    contentHash: `sha256:${hash.digest("hex")}`,
  };
}

/** Returns approvals that approve every script with these permissions. */
export function approveAll(declared?: DeclaredPermissions): ApprovedContents {
  return { approved: () => declared, contentOf: () => undefined, subscribe: () => () => {} };
}

/** Returns a script runner for tests, which is closed after them. */
export function testRunner(
  options: Partial<ScriptRunnerOptions> & { readonly sandbox?: Sandbox } = {},
): ScriptRunner {
  const runner = createScriptRunner({
    sandbox: confined,
    approvals: approveAll(),
    python: () => Promise.resolve({ status: "found", executable: "/usr/bin/python3" }),
    environment: {},
    ...options,
  });
  after(() => runner.close());
  return runner;
}

/** Runs a function as the gate does. */
export function runFunction(
  runner: ScriptRunner,
  script: Script,
  name: string,
  args: JsonObject = {},
  context: ToolContext = fakeContext(),
): Promise<ScriptReturn> {
  const found = script.functions.find((one) => one.name === name);
  if (found === undefined) throw new Error(`The script has no function ${name}.`);
  return runner.run({ script, function: found, arguments: args, context, signal: context.signal });
}
