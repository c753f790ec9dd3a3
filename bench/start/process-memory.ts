import { readdirSync, readFileSync } from "node:fs";

/** Returns the ids of a process and of all its descendants, parents first. Needs Linux's `/proc`. */
export function processTree(root: number): readonly number[] {
  const children = Map.groupBy(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), parent: parentOf(name) })),
    ({ parent }) => parent,
  );
  const tree = [root];
  // The list grows while it is read.
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).map((child) => child.pid));
  return tree;
}

/** Returns the resident memory of a process in bytes; 0 if it has ended. Needs Linux's `/proc`. */
export function residentBytes(pid: number): number {
  const [, kilobytes = 0] = /^VmRSS:\s+(\d+) kB$/m.exec(readProcess(pid, "status")) ?? [];
  return Number(kilobytes) * 1_024;
}

function parentOf(pid: string): number | undefined {
  const stat = readProcess(pid, "stat");
  // The name, in parentheses, can contain spaces.
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return parent === undefined ? undefined : Number(parent);
}

function readProcess(pid: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
