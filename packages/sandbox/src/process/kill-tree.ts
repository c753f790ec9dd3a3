import { type ChildProcess, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends a process and all it started: its process group, and on Linux every process that has its
 * mark in its environment, also those that left the group. Does nothing where all are gone.
 *
 * @param mark the value of CAPSTAN_PROGRAM that the process was started with
 */
export function killTree({ pid }: ChildProcess, mark: string): void {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { windowsHide: true });
    return;
  }
  kill(-pid);
  if (process.platform !== "linux") return;
  // A process may have started another one just before it was killed: repeat until none is left.
  for (let look = 0; look < 20; look++) {
    const left = marked(`CAPSTAN_PROGRAM=${mark}`);
    if (left.length === 0) return;
    for (const one of left) kill(one);
  }
}

function marked(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(mark));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // Gone, or another user's.
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
