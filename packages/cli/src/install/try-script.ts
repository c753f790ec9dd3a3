import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { Sandbox } from "@capstan/sandbox";
import {
  createScriptRunner,
  findPowerShell,
  findPython,
  readScriptFiles,
  type Script,
  scriptGroup,
} from "@capstan/scripts";

const sources = {
  python: { file: "trial.py", function: "answer", source: "def answer():\n    return 42\n" },
  powershell: { file: "trial.ps1", function: "Get-Answer", source: "function Get-Answer { 42 }\n" },
} as const;

/**
 * Calls a small script in the sandbox, as a server would.
 *
 * @param options.interpreter the path of the language's program
 * @param options.timeoutMs how long the call may take @default 30000
 * @returns the reason why the call failed, or `undefined` if it succeeded
 */
export async function tryScript(options: {
  readonly language: "python" | "powershell";
  readonly interpreter: string;
  readonly sandbox: Sandbox;
  readonly timeoutMs?: number;
}): Promise<string | undefined> {
  const { language, interpreter, sandbox, timeoutMs = 30_000 } = options;
  const folder = await mkdtemp(join(tmpdir(), "capstan-trial-"));
  const approved = { file: { executionPolicy: "auto" }, functions: {} } as const;
  const runner = createScriptRunner({
    sandbox,
    approvals: { approved: () => approved, subscribe: () => () => {} },
    python: () => findPython({ interpreter }),
    powershell: () => findPowerShell({ interpreter }),
    environment: {},
  });
  try {
    const executor = new ToolExecutor();
    const script = await writeTrial(folder, language);
    executor.registerToolGroup(scriptGroup(script, { run: runner.run, approved }));
    executor.toggleGroupEnabled("trial", true);
    const signal = AbortSignal.timeout(timeoutMs);
    const result = await executor.execute(sources[language].function, {}, { signal });
    if (result.status === "success")
      return result.data === 42 ? undefined : `It returned ${JSON.stringify(result.data)}, not 42.`;
    return result.status === "error" ? result.error.message : `It is ${result.status}.`;
  } catch (thrown) {
    return errorMessage(thrown);
  } finally {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeTrial(folder: string, language: keyof typeof sources): Promise<Script> {
  const { file, function: name, source } = sources[language];
  await writeFile(join(folder, file), source);
  const read = await readScriptFiles({ folder, entry: file, isPlugin: false });
  if (read.status === "refused") throw new Error(read.message);
  return {
    path: join(folder, file),
    folder,
    language,
    groupId: "trial",
    title: "Trial",
    rules: "",
    functions: [
      {
        name,
        description: "Returns 42.",
        parameters: { type: "object", properties: {} },
        raises: [],
        hasFormat: false,
        wantsContext: false,
        line: 1,
      },
    ],
    problems: [],
    files: [file],
    contentHash: read.contentHash,
  };
}
