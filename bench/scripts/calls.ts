import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor } from "@capstan/core";
import { findSandbox, unconfined } from "@capstan/sandbox";
import {
  createScriptRunner,
  findPython,
  readScriptFiles,
  type Script,
  scriptGroup,
} from "@capstan/scripts";
import { type Figure, median } from "../figure.ts";

/** Calls through gate, pool and sandbox, of which all but the first find a warm worker. */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  try {
    const script = await noOp(folder);
    const { sandbox } = await findSandbox();
    const warm = await timeCalls({ script, repetitions, pool: {} });
    const fresh = await timeCalls({
      script,
      repetitions: Math.min(repetitions, 20),
      pool: { maxCalls: 1 },
    });
    const confined = await timeStarts(sandbox);
    const plain = await timeStarts(unconfined);
    const figure = (name: string, value: number, unit: string): Figure => ({
      case: name,
      subject: sandbox.kind === "none" ? "capstan, no sandbox here" : "capstan",
      value,
      unit,
    });
    return [
      figure("no-op Python function, warm", warm, "ms"),
      figure("no-op Python function, a fresh process each", fresh, "ms"),
      figure("fresh beside warm", fresh / warm, "×"),
      figure("starting a program in the sandbox, beside outside", confined - plain, "ms"),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function noOp(folder: string): Promise<Script> {
  const path = join(folder, "bench.py");
  await writeFile(path, "def no_op():\n    pass\n");
  const read = await readScriptFiles({ folder, entry: "bench.py", isPlugin: false });
  if (read.status === "refused") throw new Error(read.message);
  return {
    path,
    folder,
    language: "python",
    groupId: "bench",
    title: "Bench",
    rules: "",
    functions: [
      {
        name: "no_op",
        description: "Does nothing.",
        parameters: { type: "object", properties: {} },
        raises: [],
        hasFormat: false,
        isAsync: false,
        wantsContext: false,
        line: 1,
      },
    ],
    problems: [],
    files: ["bench.py"],
    contentHash: read.contentHash,
  };
}

async function timeCalls(options: {
  readonly script: Script;
  readonly repetitions: number;
  readonly pool: { readonly maxCalls?: number };
}): Promise<number> {
  const approved = { file: { executionPolicy: "auto" }, functions: {} } as const;
  const runner = createScriptRunner({
    sandbox: (await findSandbox()).sandbox,
    approvals: { approved: () => approved, subscribe: () => () => {} },
    python: () => findPython({}),
    pool: { maxCalls: Number.POSITIVE_INFINITY, ...options.pool },
  });
  const executor = new ToolExecutor();
  executor.registerToolGroup(scriptGroup(options.script, { run: runner.run, approved }));
  executor.toggleGroupEnabled("bench", true);
  const call = async () => {
    const started = performance.now();
    const result = await executor.execute("no_op", {});
    if (result.status !== "success") throw new Error(JSON.stringify(result));
    return performance.now() - started;
  };
  await call();
  const times: number[] = [];
  for (let n = 0; n < options.repetitions; n++) times.push(await call());
  await runner.close();
  return median(times);
}

/** The median of starting a program that does nothing, in ms. */
async function timeStarts(
  sandbox: Awaited<ReturnType<typeof findSandbox>>["sandbox"],
): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 20; n++) {
    const started = performance.now();
    const program = sandbox.start({ command: "/bin/true", args: [] });
    program.stdin.end();
    program.stdout.resume();
    program.stderr.resume();
    await program.ended;
    times.push(performance.now() - started);
  }
  return median(times);
}
