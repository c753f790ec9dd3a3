import { chownSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from "node:path";
import { CapstanError } from "@capstan/core";
import { type CgroupSource, makeCgroup } from "./cgroup.ts";
import { scopeEnvironment, systemdScope } from "./systemd-scope.ts";
import type { ResolveHost } from "../network/checked-agent.ts";
import { findProgram, launcher, limiter } from "../process/launcher.ts";
import { type ConfinedNetwork, confinedNetwork } from "../network/confined-network.ts";
import type { PythonInstallation } from "../process/python-installation.ts";
import { holdNames, isPlaceholder } from "./placeholders.ts";
import { mountsDescriptors, pinnedPaths } from "./pinned-paths.ts";
import { runProgram } from "./run-program.ts";
import { seccompFilter } from "../process/seccomp-filter.ts";
import { defaultLimits, type Program, type Sandbox } from "./sandbox.ts";
import type { SandboxLimits } from "../process/sandbox-limits.ts";

/**
 * The entries of /etc that programs need. The list of accounts is replaced by one with the program's
 * user only, because .NET and others need the entry of the user who runs them.
 */
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

const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
};

/** Creates a sandbox of Linux namespaces with bubblewrap. */
export function bubblewrap(options: {
  readonly path: string;
  /** The location of control groups. @default the system's location */
  readonly cgroups?: CgroupSource;
  /** The `systemd-run` that limits programs of this user if no control group can be made. */
  readonly systemdRun?: string | undefined;
  /** Programs reach the network only if it is set. */
  readonly python?: PythonInstallation | undefined;
  /** Resolves host names. @default the system's resolver */
  readonly resolve?: ResolveHost;
}): Sandbox {
  return {
    kind: "bubblewrap",
    start(program) {
      const limits = { ...defaultLimits, ...program.limits };
      const { channels = 0, network: access = false } = program;
      const cgroup = makeCgroup(limits, options.cgroups);
      // Only cgroups limit root's processes, so without them the program runs as nobody.
      const user = isRoot() && cgroup === undefined ? nobody : undefined;
      if (user !== undefined)
        for (const { from } of program.shown ?? []) chownSync(from, user, user);
      const { python, resolve, systemdRun } = options;
      const scope = cgroup === undefined ? systemdRun : undefined;
      const filter = seccompFilter(process.arch, { unixSockets: access !== false });
      const inputs = 3 + channels;
      const firstPinned = inputs + (filter === undefined ? 2 : 3);
      const pinned = pinnedPaths();
      let network: ConfinedNetwork | undefined;
      let letNamesGo: (() => void) | undefined;
      const cleanUp = () => {
        pinned.close();
        letNamesGo?.();
        network?.close();
        return cgroup?.remove();
      };
      try {
        letNamesGo = holdNames(protectedPaths(program));
        const { denied } = program;
        if (access !== false) network = confinedNetwork({ access, denied, python, user, resolve });
        const pin = (path: string) => firstPinned + pinned.pin(path);
        const mounts = bubblewrapArguments(withNetwork(program, network), limits, {
          pin,
          usesDescriptors: mountsDescriptors(options.path),
        });
        const running = runProgram({
          command: [
            ...(scope === undefined ? [] : systemdScope(scope, limits)),
            ...launcher({
              processors: limits.processors,
              joins: cgroup?.joins ?? [],
              descriptors: firstPinned + pinned.descriptors.length,
            }),
            ...(user === undefined ? [] : asNobody()),
            options.path,
            // Must precede `args`, whose last argument makes /etc read-only.
            "--perms",
            "0444",
            "--ro-bind-data",
            String(inputs + 1),
            "/etc/passwd",
            // The arguments are not on the command line, which the program and all users of this
            // machine can read.
            "--args",
            String(inputs),
            ...(filter === undefined ? [] : ["--seccomp", String(inputs + 2)]),
            "--",
            ...(network?.command ?? []),
            ...limiter(limits, true),
            program.command,
            ...program.args,
          ],
          env: {
            ...environment,
            ...(scope === undefined ? {} : scopeEnvironment()),
            ...network?.env,
            ...program.env,
          },
          channels,
          said: [
            [...(scope === undefined ? [] : withoutScopeEnvironment(program.env)), ...mounts].join(
              "\0",
            ),
            accountOf(user ?? process.getuid?.() ?? nobody),
            ...(filter === undefined ? [] : [filter]),
          ],
          descriptors: pinned.descriptors,
          kill: killGroup,
          cleanUp,
        });
        pinned.close();
        return running;
      } catch (error) {
        cleanUp();
        throw error;
      }
    },
  };
}

function withoutScopeEnvironment(own: Program["env"] = {}): readonly string[] {
  const names = Object.keys(scopeEnvironment()).filter((name) => !Object.hasOwn(own, name));
  return names.flatMap((name) => ["--unsetenv", name]);
}

function withNetwork(program: Program, network: ConfinedNetwork | undefined): Program {
  if (network === undefined) return program;
  const { read = [], shown = [] } = program;
  return { ...program, read: [...read, ...network.read], shown: [...shown, network.shown] };
}

/**
 * Kills bubblewrap's process group. The namespace's first process dies with bubblewrap, and all
 * others with it. Until the namespace exists, its first process is still in bubblewrap's group. If
 * it were not killed, it would wait forever and hold the pipes open.
 */
function killGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group no longer exists.
  }
}

const nobody = 65_534;

/** Returns a list of accounts (`passwd(5)`) with the program's user only. */
function accountOf(user: number): string {
  return `sandbox:x:${user}:${user}::${environment.HOME}:/bin/sh\n`;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function asNobody(): readonly string[] {
  const setpriv = findProgram("setpriv") ?? "setpriv";
  return [setpriv, `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--"];
}

/**
 * How to mount paths inside writable folders. Other programs could replace such a path before the
 * mount.
 */
interface Pinning {
  /** Opens a path and returns its descriptor in bubblewrap. */
  readonly pin: (path: string) => number;
  /** Whether bubblewrap mounts the descriptor. If not, it mounts the path, which was checked. */
  readonly usesDescriptors: boolean;
}

/**
 * Returns the arguments for bubblewrap. Their order matters, because later mounts cover earlier
 * ones.
 */
export function bubblewrapArguments(
  program: Program,
  limits: SandboxLimits,
  pinning: Pinning,
): readonly string[] {
  const size = String(limits.fileBytes);
  const { network = false, read = [], write = [], shown = [], hidden = [] } = program;
  const kept = protectedPaths(program);
  const above = foldersAbove([...hidden, ...kept], program);
  return [
    ["--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"],
    // The network connection is the namespace's first process, which the other processes cannot
    // end.
    network === false ? [] : ["--as-pid-1"],
    ["--die-with-parent", "--new-session", "--hostname", "sandbox"],
    ...systemFolders(),
    ["--proc", "/proc", "--dev", "/dev"],
    ["--size", size, "--tmpfs", "/dev/shm", "--mqueue", "/dev/mqueue"],
    ["--size", size, "--perms", "1777", "--tmpfs", "/tmp"],
    ...binds({
      read,
      write,
      above,
      kept: kept.filter((path) => existsSync(path)),
      shown,
      pinning,
    }),
    ...covers(hidden, [...read, ...write]),
    // Without this, root could write below /proc/sys even without capabilities, and any user could
    // fill the folders in memory.
    ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"],
    ["--chdir", program.folder ?? "/tmp"],
  ].flat();
}

type Words = readonly string[];

function systemFolders(): readonly Words[] {
  const top = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
  const etc = settings.map((name) => `/etc/${name}`);
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

/** Returns the mounts, outer folders first, so that the mount of an inner folder wins. */
function binds(given: {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly above: readonly string[];
  readonly kept: readonly string[];
  readonly shown: NonNullable<Program["shown"]>;
  readonly pinning: Pinning;
}): readonly Words[] {
  const { read, write, above, kept, shown, pinning } = given;
  const bind = (flag: string, at: string, path: string) => ({
    at: checkedPath(at),
    words: [flag, realFolder(path), checkedPath(at)],
  });
  const pinnedBind = (flag: string, at: string) => {
    const path = realPlace(at, write);
    const descriptor = pinning.pin(path);
    const { usesDescriptors } = pinning;
    const from = usesDescriptors ? [`${flag}-fd`, String(descriptor)] : [flag, path];
    return { at: checkedPath(at), words: [...from, checkedPath(at)] };
  };
  return [
    ...read.map((path) => bind("--ro-bind", path, path)),
    ...write.map((path) => bind("--bind", path, path)),
    ...above.map((path) => pinnedBind("--bind", path)),
    // Protected paths come after writable folders, which contain them, and before shown folders,
    // which replace them.
    ...kept.map((path) => pinnedBind("--ro-bind", path)),
    ...shown.map(({ from, at, write: writes }) =>
      bind(writes === true ? "--bind" : "--ro-bind", at, from),
    ),
  ]
    .sort((a, b) => depth(a.at) - depth(b.at))
    .map(({ words }) => words);
}

/**
 * Returns the path outside the sandbox for a path in a writable root. Resolves only the root's
 * links.
 */
function realPlace(at: string, write: readonly string[]): string {
  const root = write.map(checkedPath).find((each) => isInside(at, each)) ?? at;
  return join(realFolder(root), relative(root, at));
}

/** Resolves the links of a folder here, because inside the sandbox they would be broken. */
function realFolder(path: string): string {
  try {
    return checkedPath(realpathSync(checkedPath(path)));
  } catch (error) {
    if (CapstanError.isInstance(error)) throw error;
    throw invalidPath(path, "is not there");
  }
}

/**
 * Returns the protected paths as paths in writable roots, without links. If a path is in a missing
 * folder, returns the folder instead, because a program that creates the folder can create the
 * path.
 */
function protectedPaths({ write = [], protected: paths = [] }: Program): readonly string[] {
  const real = paths.map(realPathOf);
  return write.flatMap((root) => {
    const at = checkedPath(root);
    const from = realFolder(root);
    const inside = real.filter((path) => isInside(path, from));
    return [...new Set(inside.map((path) => firstMissing(at, join(at, relative(from, path)))))];
  });
}

/** Resolves the links of a path as far as the path exists. */
function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPathOf(parent), basename(path));
}

/** Returns the outermost missing folder below a root on the way to a path, otherwise the path. */
function firstMissing(root: string, path: string): string {
  const isMissing = (folder: string) => isPlaceholder(folder) || !existsSync(folder);
  return foldersBetween(root, path).find(isMissing) ?? path;
}

/**
 * Covers hidden paths under each name that they have in a root, because a link gives a path another
 * name inside.
 */
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

/**
 * Returns the folders between a writable root and a hidden path in it. They are bound over
 * themselves, which prevents renaming: otherwise the hidden path would get a new name that is not
 * hidden from the next program.
 */
function foldersAbove(
  hidden: readonly string[],
  { read = [], write = [], shown = [] }: Program,
): readonly string[] {
  const all = [...read, ...write, ...shown.map(({ at }) => at)].map(checkedPath);
  return write.map(checkedPath).flatMap((root) => {
    const below = hidden
      .filter((path) => existsSync(path))
      .map((path) => join(root, relative(realFolder(root), realpathSync(path))))
      .filter((path) => isInside(path, root));
    return [...new Set(below.flatMap((path) => foldersBetween(root, path)))].filter((folder) =>
      all.every((other) => !isInside(folder, other) || isInside(root, other)),
    );
  });
}

function foldersBetween(root: string, path: string): readonly string[] {
  const parent = dirname(path);
  return parent === root || path === root ? [] : [...foldersBetween(root, parent), parent];
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
  if (plain === "/") throw invalidPath(path, "is the root of the file system");
  const inside = never.find((folder) => isInside(plain, folder));
  if (inside !== undefined)
    throw invalidPath(path, `is in ${inside}, through which a program can leave the sandbox`);
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
