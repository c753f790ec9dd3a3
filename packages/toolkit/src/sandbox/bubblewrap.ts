import { chownSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, normalize, relative, resolve, sep } from "node:path";
import { CapstanError } from "@capstan/core";
import { makeCgroup } from "./cgroup.ts";
import { findProgram, launcher, limiter } from "./launcher.ts";
import { runProgram } from "./run-program.ts";
import { defaultLimits, type Program, type Sandbox, type SandboxLimits } from "./sandbox.ts";

/** Of /etc, what programs need; who has accounts here is nobody's business. */
const settings = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "fonts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "pki",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];
const networkSettings = ["gai.conf", "host.conf", "hosts", "nsswitch.conf", "resolv.conf"];

const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
};

/** A sandbox of Linux namespaces, made by bubblewrap. */
export function bubblewrap(options: {
  readonly path: string;
  /** Where control groups are mounted. @default the system's place */
  readonly cgroups?: string;
}): Sandbox {
  return {
    kind: "bubblewrap",
    start(program) {
      const limits = { ...defaultLimits, ...program.limits };
      const { channels = 0 } = program;
      const args = bubblewrapArguments(program, limits);
      const cgroup = isRoot() ? makeCgroup(limits, options.cgroups) : undefined;
      // Root's processes are counted by cgroups alone: without them it is root no more.
      const isNobody = isRoot() && cgroup === undefined;
      if (isNobody) for (const { from } of program.shown ?? []) chownSync(from, nobody, nobody);
      return runProgram({
        command: [
          ...launcher({
            processors: limits.processors,
            joins: cgroup?.joins ?? [],
            descriptors: 3 + channels + 1,
          }),
          ...(isNobody ? asNobody() : []),
          options.path,
          // Not on the command line, which everybody on this machine can read, and the program too.
          "--args",
          String(3 + channels),
          "--",
          ...limiter(limits, true),
          program.command,
          ...program.args,
        ],
        env: { ...environment, ...program.env },
        channels,
        said: args.join("\0"),
        // The namespace's first process dies with bubblewrap, and all others die with it.
        kill: (child) => void child.kill("SIGKILL"),
        cleanUp: () => cgroup?.remove(),
      });
    },
  };
}

const nobody = 65_534;

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function asNobody(): readonly string[] {
  const setpriv = findProgram("setpriv") ?? "setpriv";
  return [setpriv, `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"];
}

/** What bubblewrap is told; order counts: what comes later covers what came before. */
export function bubblewrapArguments(program: Program, limits: SandboxLimits): readonly string[] {
  const size = String(limits.fileBytes);
  const { network = false, read = [], write = [], shown = [], hidden = [] } = program;
  return [
    ["--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"],
    network ? ["--share-net"] : [],
    ["--die-with-parent", "--new-session", "--hostname", "sandbox"],
    ...systemFolders(network),
    ["--proc", "/proc", "--dev", "/dev"],
    ["--size", size, "--tmpfs", "/dev/shm", "--mqueue", "/dev/mqueue"],
    ["--size", size, "--perms", "1777", "--tmpfs", "/tmp"],
    ...binds(read, write, shown),
    ...covers(hidden, [...read, ...write]),
    // Root may write what is below /proc/sys without any capability, and anybody may fill a folder in memory.
    ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"],
    ["--chdir", program.folder ?? "/tmp"],
  ].flat();
}

type Words = readonly string[];

function systemFolders(network: boolean): readonly Words[] {
  const top = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
  const etc = [...settings, ...(network ? networkSettings : [])].map((name) => `/etc/${name}`);
  return [
    ["--ro-bind", "/usr", "/usr"],
    ...top.filter((path) => existsSync(path)).map(sameAsOutside),
    ...["/nix/store", ...etc].map((path) => ["--ro-bind-try", path, path]),
  ];
}

function sameAsOutside(path: string): Words {
  return lstatSync(path).isSymbolicLink()
    ? ["--symlink", readlinkSync(path), path]
    : ["--ro-bind", path, path];
}

/** Outer folders first, so that the narrower word counts. */
function binds(
  read: readonly string[],
  write: readonly string[],
  shown: NonNullable<Program["shown"]>,
): readonly Words[] {
  return [
    ...read.map((path) => ({ flag: "--ro-bind", from: path, at: path })),
    ...write.map((path) => ({ flag: "--bind", from: path, at: path })),
    ...shown.map(({ from, at }) => ({ flag: "--ro-bind", from, at })),
  ]
    .map((bind) => ({ ...bind, from: realFolder(bind.from), at: checkedPath(bind.at) }))
    .sort((a, b) => depth(a.at) - depth(b.at))
    .map(({ flag, from, at }) => [flag, from, at]);
}

/** Links are followed now, by us: inside they would lead nowhere. */
function realFolder(path: string): string {
  try {
    return checkedPath(realpathSync(checkedPath(path)));
  } catch (error) {
    if (CapstanError.isInstance(error)) throw error;
    throw invalidPath(path, "is not there");
  }
}

/** Whatever is hidden is covered wherever a root shows it: through a link it has another path inside. */
function covers(hidden: readonly string[], roots: readonly string[]): readonly Words[] {
  const real = hidden.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  const aliases = roots.flatMap((root) => {
    const at = checkedPath(root);
    const from = realFolder(root);
    return real.flatMap((path) => {
      if (isInside(from, path)) return [at];
      return isInside(path, from) ? [join(at, relative(from, path))] : [];
    });
  });
  const all = [...new Set([...real, ...aliases])];
  return all
    .filter((path) => !all.some((other) => other !== path && isInside(path, other)))
    .map(cover);
}

function cover(path: string): Words {
  return statSync(path).isDirectory()
    ? ["--size", "4096", "--perms", "0555", "--tmpfs", path, "--remount-ro", path]
    : ["--ro-bind", "/dev/null", path];
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

const never = ["/proc", "/sys", "/dev", "/run"];

function checkedPath(path: string): string {
  if (!isAbsolute(path) || path.includes("\0")) throw invalidPath(path, "is not absolute");
  const plain = normalize(resolve(path));
  if (plain === "/") throw invalidPath(path, "is the whole system");
  const inside = never.find((folder) => isInside(plain, folder));
  if (inside !== undefined)
    throw invalidPath(path, `lies in ${inside}, through which a program gets out`);
  return plain;
}

function depth(path: string): number {
  return path.split(sep).length;
}

function invalidPath(path: string, why: string): CapstanError {
  return new CapstanError({
    code: "invalid_sandbox_path",
    message: `${JSON.stringify(path)} cannot be shown to a program: it ${why}. Name a folder that exists, such as a workspace, by its absolute path.`,
  });
}
