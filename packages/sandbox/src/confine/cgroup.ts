import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAlive } from "../process/is-alive.ts";
import type { SandboxLimits } from "../process/sandbox-limits.ts";

/** A control group of one program. */
export interface Cgroup {
  /** Files that a process writes itself into to join. */
  readonly joins: readonly string[];
  /** Whether the group also limits memory, not only processes. */
  readonly limitsMemory: boolean;
  /** Removes the group. If it is not empty yet, removing a later group removes it. */
  remove(): void;
}

const prefix = "capstan-";
let made = 0;

/** The locations of the control group trees and of this process's own group. */
export interface CgroupSource {
  /** @default "/sys/fs/cgroup" */
  readonly mount?: string;
  /** @default "/proc/self/cgroup" */
  readonly self?: string;
}

/**
 * Creates a control group that limits the processes and memory of a whole program, if this process
 * has the permission: as root, or within a group that was delegated to its user, as systemd does
 * for a service with `Delegate=yes`. Resource limits do not count root's processes, so root needs
 * it.
 *
 * @returns undefined if none can be created.
 */
export function makeCgroup(limits: SandboxLimits, source: CgroupSource = {}): Cgroup | undefined {
  const { mount = "/sys/fs/cgroup", self = "/proc/self/cgroup" } = source;
  const own = readText(self) ?? "";
  return (
    makeIn(hierarchies(limits, mount, own)) ??
    makeIn(hierarchyBelow(delegatedGroup(mount, own), limits))
  );
}

function makeIn(places: readonly Hierarchy[]): Cgroup | undefined {
  const name = `${prefix}${process.pid}-${++made}`;
  const folders: string[] = [];
  const remove = () => {
    for (const folder of folders) removeEmpty(folder);
  };
  try {
    for (const { parent, settings } of places) {
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
  const limitsMemory = places.some(({ settings }) =>
    settings.some(([file]) => file.startsWith("memory.")),
  );
  return { joins: folders.map((folder) => join(folder, "cgroup.procs")), limitsMemory, remove };
}

interface Hierarchy {
  readonly parent: string;
  readonly settings: readonly (readonly [file: string, value: number])[];
}

/** Version 2 has one tree; version 1 has one tree per controller. */
function hierarchies(limits: SandboxLimits, mount: string, own: string): readonly Hierarchy[] {
  if (controllersGiven(mount) !== undefined) return hierarchyBelow(mount, limits);
  const processes = processesOf(limits);
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

/**
 * Returns the version 2 group as the parent of program groups, or undefined if it has no process
 * controller.
 */
function hierarchyBelow(parent: string | undefined, limits: SandboxLimits): readonly Hierarchy[] {
  const given = parent === undefined ? undefined : controllersGiven(parent);
  if (parent === undefined || given?.includes("pids") !== true) return [];
  const memory = given.includes("memory");
  return [
    {
      parent,
      settings: [
        ["pids.max", processesOf(limits)],
        ...(memory ? [["memory.max", limits.memoryBytes] as const] : []),
      ],
    },
  ];
}

/** Adds the interpreters and the sandbox's own processes, which are also counted. */
function processesOf({ processes }: SandboxLimits): number {
  return processes + 8;
}

/** Returns the controllers that a version 2 group enables for its child groups. */
function controllersGiven(group: string): readonly string[] | undefined {
  return readText(join(group, "cgroup.subtree_control"))?.split(/\s+/);
}

/** The server's own group, inside the group that was delegated to it. */
const serverGroup = "server.capstan";
const delegated = new Map<string, string | undefined>();

/**
 * Returns this process's version 2 group, if it can create groups in it. A group enables
 * controllers for child groups only if it contains no process, so this process moves into a child
 * group.
 */
function delegatedGroup(mount: string, own: string): string | undefined {
  const path = /^0::(\/.+)$/m.exec(own)?.[1];
  if (path === undefined) return undefined;
  const at = join(mount, path);
  const group = basename(at) === serverGroup ? dirname(at) : at;
  if (!delegated.has(group)) delegated.set(group, prepare(group) ? group : undefined);
  return delegated.get(group);
}

function prepare(group: string): boolean {
  if (controllersGiven(group)?.includes("pids") === true) return true;
  const offered = readText(join(group, "cgroup.controllers"))?.split(/\s+/) ?? [];
  if (!offered.includes("pids")) return false;
  const wanted = ["+pids", ...(offered.includes("memory") ? ["+memory"] : [])].join(" ");
  const server = join(group, serverGroup);
  try {
    if (!existsSync(server)) mkdirSync(server);
    writeFileSync(join(server, "cgroup.procs"), String(process.pid));
    writeFileSync(join(group, "cgroup.subtree_control"), wanted);
    return true;
  } catch {
    // The group belongs to another user, or contains other processes.
    leave(server, group);
    return false;
  }
}

function leave(server: string, group: string): void {
  try {
    writeFileSync(join(group, "cgroup.procs"), String(process.pid));
    rmdirSync(server);
  } catch {
    // This process did not enter it, or another server is in it.
  }
}

function pathOf(kind: string, own: string): string {
  const line = own.split("\n").find((text) => text.split(":")[1]?.split(",").includes(kind));
  return line?.split(":").slice(2).join(":") ?? "/";
}

/** Groups that no process joins any more. They are removed after their last process has ended. */
const left = new Set<string>();

/**
 * Removes leftover groups, and groups of earlier servers. An empty group of a running server stays,
 * because a process may be about to join it.
 */
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
    // The group is not empty: a process still runs in it.
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
