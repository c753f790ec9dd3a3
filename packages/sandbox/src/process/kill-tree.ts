import { type ChildProcess, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Ends a process and all processes that it started: its process group, and on Linux every process
 * with its mark in the environment, which includes processes that left the group. Does nothing if
 * all have ended.
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
  // A process can have started another one just before it was killed, so repeat until none is left.
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
    // The process has ended or belongs to another user.
    return "";
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}
