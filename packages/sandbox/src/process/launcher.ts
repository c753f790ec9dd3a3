import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { SandboxLimits } from "./sandbox-limits.ts";

/**
 * Returns the absolute path of a program on PATH; undefined if there is none. Relative folders on
 * PATH are ignored, because code may be able to change the working directory.
 */
export function findProgram(
  name: string,
  path: string = process.env["PATH"] ?? "",
): string | undefined {
  const names = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => names.map((file) => join(folder, file)))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Closes the descriptors that the server was started with (those of two or more digits only with
 * bash). Tells the kernel to end this process before the server if memory is short, and joins
 * cgroups.
 */
const launch = `
for fd in /proc/$$/fd/*; do fd=\${fd##*/}; [ "$fd" -lt "$1" ] || [ "$fd" = 255 ] || eval "exec $fd>&-"; done
shift; echo 1000 2>/dev/null >/proc/self/oom_score_adj
while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done
shift; exec "$@"`;

/**
 * Returns the prefix of a confined command: a lower priority, its processors, and its cgroups.
 *
 * @param joins files of cgroups into which the process writes its id
 */
export function launcher(options: {
  readonly processors: number;
  readonly joins?: readonly string[];
  /** Number of descriptors that the program keeps, including the standard ones. */
  readonly descriptors: number;
}): readonly string[] {
  if (process.platform !== "linux") return [];
  const bash = findProgram("bash");
  const taskset = findProgram("taskset");
  const nice = findProgram("nice");
  return [
    ...(bash === undefined ? ["/bin/sh"] : [bash, "--norc", "--noprofile"]),
    "-c",
    bash === undefined ? launch.replace("/fd/*", "/fd/[0-9]") : launch,
    "launch",
    String(options.descriptors),
    ...(options.joins ?? []),
    "--",
    ...(taskset === undefined ? [] : [taskset, "-c", processorList(options.processors)]),
    ...(nice === undefined ? [] : [nice, "-n", "10"]),
  ];
}

/**
 * Returns the prefix that sets resource limits for a command. The kernel counts processes per user
 * and user namespace, so the process limit is exact only inside the program's own namespace.
 */
export function limiter(limits: SandboxLimits, inside: boolean): readonly string[] {
  const prlimit = findProgram("prlimit");
  if (prlimit === undefined) return [];
  return [
    prlimit,
    "--core=0",
    `--data=${limits.memoryBytes}`,
    ...(limits.addressBytes === 0 ? [] : [`--as=${limits.addressBytes}`]),
    `--fsize=${limits.fileBytes}`,
    ...(inside ? [`--nproc=${limits.processes}`] : []),
    "--",
  ];
}

/** Returns the last processors in this process's set, up to the given number. */
function processorList(count: number): string {
  const allowed = allowedProcessors();
  return allowed.slice(-Math.max(1, count)).join(",");
}

function allowedProcessors(): readonly number[] {
  const status = readFileSync("/proc/self/status", "utf8");
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "0";
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
