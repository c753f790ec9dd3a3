import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findSandbox } from "@capstan/sandbox";
import { findPython } from "@capstan/scripts";
import { realPowerShell } from "@capstan/scripts/testing";
import { type Figure, measuredFigure } from "../figure.ts";
import { createCaller, writeNoOp } from "./no-op-script.ts";

/**
 * Measures calls of a PowerShell function in a worker that was started ahead, and in a new one.
 * Without PowerShell there are no figures; `npm test -- powershell` builds one for the tests.
 */
export async function figures(repetitions: number): Promise<readonly Figure[]> {
  const found = await realPowerShell();
  if (found.status !== "found") return [];
  const { sandbox } = await findSandbox();
  const folder = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  const script = await writeNoOp(folder, {
    language: "powershell",
    entry: "bench.ps1",
    source: "function Invoke-NoOp { }\n",
    name: "Invoke-NoOp",
  });
  const { call, close } = createCaller(script, {
    sandbox,
    python: () => findPython({}),
    powershell: () => Promise.resolve(found),
  });
  try {
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
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}
