import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../process/is-alive.ts";
import type { SandboxLimits } from "../process/sandbox-limits.ts";

/** A control group of one program. */
export interface Cgroup {
  /** Files that a process writes itself into to join. */
  readonly joins: readonly string[];
  /** Takes it away; what is not empty yet goes with a later one. */
  remove(): void;
}

const prefix = "capstan-";
let made = 0;

/**
 * Makes a control group that counts processes and memory of a whole program, where this process
 * may: in general as root. Resource limits do not count root's processes, so root needs it.
 *
 * @param mount where control groups are mounted
 * @returns undefined where none can be made.
 */
export function makeCgroup(limits: SandboxLimits, mount = "/sys/fs/cgroup"): Cgroup | undefined {
  const name = `${prefix}${process.pid}-${++made}`;
  const folders: string[] = [];
  const remove = () => {
    for (const folder of folders) removeEmpty(folder);
  };
  try {
    for (const { parent, settings } of hierarchies(limits, mount)) {
      sweep(parent);
      const folder = join(parent, name);
      mkdirSync(folder);
      folders.push(folder);
      for (const [file, value] of settings) writeFileSync(join(folder, file), String(value));
    }
  } catch {
    remove();
    return undefined;
  }
  if (folders.length === 0) return undefined;
  return { joins: folders.map((folder) => join(folder, "cgroup.procs")), remove };
}

interface Hierarchy {
  readonly parent: string;
  readonly settings: readonly (readonly [file: string, value: number])[];
}

/** Version 2 has one tree; version 1 has a tree for each kind of thing that is counted. */
function hierarchies(limits: SandboxLimits, mount: string): readonly Hierarchy[] {
  // Interpreters and the sandbox's own processes count too.
  const processes = limits.processes + 8;
  const shared = readText(join(mount, "cgroup.subtree_control"))?.split(/\s+/);
  if (shared !== undefined) {
    if (!shared.includes("pids")) return [];
    const memory = shared.includes("memory");
    return [
      {
        parent: mount,
        settings: [
          ["pids.max", processes],
          ...(memory ? [["memory.max", limits.memoryBytes] as const] : []),
        ],
      },
    ];
  }
  const own = readText("/proc/self/cgroup") ?? "";
  const place = (kind: string) => join(mount, kind, pathOf(kind, own));
  if (readText(join(place("pids"), "cgroup.procs")) === undefined) return [];
  const memory = readText(join(place("memory"), "memory.limit_in_bytes")) !== undefined;
  return [
    { parent: place("pids"), settings: [["pids.max", processes]] },
    ...(memory
      ? [
          {
            parent: place("memory"),
            settings: [["memory.limit_in_bytes", limits.memoryBytes] as const],
          },
        ]
      : []),
  ];
}

function pathOf(kind: string, own: string): string {
  const line = own.split("\n").find((text) => text.split(":")[1]?.split(",").includes(kind));
  return line?.split(":").slice(2).join(":") ?? "/";
}

/** Groups that nobody joins any more, but whose processes were not quite gone. */
const left = new Set<string>();

/** Takes away what was left, and what servers before this one made. An empty group may be one that is being joined. */
function sweep(parent: string): void {
  for (const folder of left) removeEmpty(folder);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (!isAlive(pid)) removeEmpty(join(parent, name));
  }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
    left.delete(folder);
  } catch {
    // Not empty: somebody still runs in it.
    left.add(folder);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
