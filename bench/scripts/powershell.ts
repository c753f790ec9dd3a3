import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolExecutor } from "@capstan/core";
import { findSandbox } from "@capstan/sandbox";
import {
  createScriptRunner,
  findPython,
  readScriptFiles,
  type Script,
  scriptGroup,
} from "@capstan/scripts";
import { realPowerShell } from "@capstan/scripts/testing";
import { type Figure, measuredFigure } from "../figure.ts";

/**
 * Measures calls of a PowerShell function in a worker that was started ahead, and in a new one.
 * Without PowerShell there are no figures; `npm test -- powershell` builds one for the tests.
 */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const found = await realPowerShell();
  if (found.status !== "found") return [];
  const { sandbox } = await findSandbox();
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  const approved = { file: { executionPolicy: "auto" }, functions: {} } as const;
  const runner = createScriptRunner({
    sandbox,
    approvals: { approved: () => approved, subscribe: () => () => {} },
    python: () => findPython({}),
    powershell: () => Promise.resolve(found),
  });
  try {
    const executor = new ToolExecutor();
    executor.registerToolGroup(scriptGroup(await noOp(folder), { run: runner.run, approved }));
    executor.toggleGroupEnabled("bench", true);
    const call = async (): Promise<number> => {
      const started = performance.now();
      const result = await executor.execute("Invoke-NoOp", {});
      if (result.status !== "success") throw new Error(JSON.stringify(result));
      return performance.now() - started;
    };
    const fresh: number[] = [await call()];
    const warm: number[] = [];
    for (let n = 0; n < repetitions; n++) {
      // Each worker runs one call; the next one starts as soon as a call has taken it.
      await sleep(2 * Math.max(...fresh));
      warm.push(await call());
      // The spare worker is still starting.
      fresh.push(await call());
    }
    const subject = sandbox.kind === "none" ? "capstan, no sandbox here" : "capstan";
    const label = (name: string) => ({ case: name, subject, unit: "ms" });
    return [
      measuredFigure(label("no-op PowerShell function, warm"), warm),
      measuredFigure(label("no-op PowerShell function, right after another call"), fresh),
    ];
  } finally {
    await runner.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function noOp(folder: string): Promise<Script> {
  const path = join(folder, "bench.ps1");
  await writeFile(path, "function Invoke-NoOp { }\n");
  const read = await readScriptFiles({ folder, entry: "bench.ps1", isPlugin: false });
  if (read.status === "refused") throw new Error(read.message);
  return {
    path,
    folder,
    language: "powershell",
    groupId: "bench",
    title: "Bench",
    rules: "",
    functions: [
      {
        name: "Invoke-NoOp",
        description: "Does nothing.",
        parameters: { type: "object", properties: {} },
        raises: [],
        hasFormat: false,
        wantsContext: false,
        line: 1,
      },
    ],
    problems: [],
    files: ["bench.ps1"],
    contentHash: read.contentHash,
  };
}
