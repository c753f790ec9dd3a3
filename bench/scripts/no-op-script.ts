import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolExecutor } from "@capstan/core";
import { createScriptRunner, readScriptFiles, type Script, scriptGroup } from "@capstan/scripts";

const approved = { file: { executionPolicy: "auto" }, functions: {} } as const;

/** The definition of a function that does nothing. */
interface NoOp {
  readonly language: Script["language"];
  /** The file's name. */
  readonly entry: string;
  readonly source: string;
  /** The function's name. */
  readonly name: string;
}

/** Writes a script file with one function, and returns the script. */
export async function writeNoOp(
  folder: string,
  { language, entry, source, name }: NoOp,
): Promise<Script> {
  const path = join(folder, entry);
  await writeFile(path, source);
  const read = await readScriptFiles({ folder, entry, isPlugin: false });
  if (read.status === "refused") throw new Error(read.message);
  return {
    path,
    folder,
    language,
    groupId: "bench",
    title: "Bench",
    rules: "",
    functions: [
      {
        name,
        description: "Does nothing.",
        parameters: { type: "object", properties: {} },
        raises: [],
        hasFormat: false,
        wantsContext: false,
        line: 1,
      },
    ],
    problems: [],
    files: [entry],
    contentHash: read.contentHash,
  };
}

/** Returns a function that calls the only function of a script, and returns the time in ms. */
export function createCaller(
  script: Script,
  options: Omit<Parameters<typeof createScriptRunner>[0], "approvals">,
): { readonly call: () => Promise<number>; readonly close: () => Promise<void> } {
  const approvals = { approved: () => approved, subscribe: () => () => {} };
  const runner = createScriptRunner({ ...options, approvals });
  const executor = new ToolExecutor();
  executor.registerToolGroup(scriptGroup(script, { run: runner.run, approved }));
  executor.toggleGroupEnabled("bench", true);
  const name = script.functions[0]?.name ?? "";
  return {
    async call() {
      const started = performance.now();
      const result = await executor.execute(name, {});
      if (result.status !== "success") throw new Error(JSON.stringify(result));
      return performance.now() - started;
    },
    close: () => runner.close(),
  };
}
