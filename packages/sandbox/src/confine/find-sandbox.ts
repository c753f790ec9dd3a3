import { bubblewrap } from "./bubblewrap.ts";
import { installCommand } from "../process/install-command.ts";
import { findProgram } from "../process/launcher.ts";
import { type PythonInstallation, findPythonInstallation } from "../process/python-installation.ts";
import { makeCgroup } from "./cgroup.ts";
import { defaultLimits, type Sandbox } from "./sandbox.ts";
import { findSystemdRun } from "./systemd-scope.ts";
import { unconfined } from "./unconfined.ts";

export interface FoundSandbox {
  readonly sandbox: Sandbox;
  /** The reason why programs are not confined; undefined if they are. */
  readonly problem?: { readonly message: string; readonly fix: string };
  /** Whether the memory limit applies to a program as a whole, or to each of its processes. */
  readonly memoryLimit: "program" | "process";
}

/**
 * Returns the sandbox for this system: bubblewrap if a test run succeeds, otherwise none, with the
 * reason.
 */
export async function findSandbox(): Promise<FoundSandbox> {
  const missing = (message: string, fix: string): FoundSandbox => ({
    sandbox: unconfined,
    problem: { message, fix },
    memoryLimit: "process",
  });
  const system = systemProblem(process.platform);
  if (system !== undefined) return missing(system.message, system.fix);
  const path = findProgram("bwrap");
  if (path === undefined)
    return missing("bubblewrap (bwrap) is not on PATH.", installCommand("bubblewrap"));
  if (findProgram("prlimit") === undefined)
    return missing("prlimit is not on PATH.", installCommand("util-linux"));
  const systemdRun = await findSystemdRun();
  const [python, problem] = await Promise.all([
    systemPython(),
    tryOut(bubblewrap({ path, systemdRun })),
  ]);
  const sandbox = bubblewrap({ path, python, systemdRun });
  return problem === undefined
    ? { sandbox, memoryLimit: limitsMemory(systemdRun) ? "program" : "process" }
    : missing(
        `bubblewrap does not work here: ${problem}`,
        "Allow this user to create user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap). A container needs a seccomp profile that allows them.",
      );
}

/** Returns why programs are not confined on this system, or undefined on Linux. */
export function systemProblem(
  platform: NodeJS.Platform,
): { readonly message: string; readonly fix: string } | undefined {
  if (platform === "linux") return undefined;
  if (platform === "win32")
    return {
      message: "There is no sandbox on Windows: scripts do not run, and code is not available.",
      fix: "Run Capstan in WSL 2, which has the sandbox of Linux.",
    };
  const name = platform === "darwin" ? "macOS" : platform;
  return {
    message: `There is no sandbox on ${name}: scripts run with all rights of this user, every script call needs approval, and JavaScript is the only code tool.`,
    fix: "To confine scripts and code, run Capstan on Linux, for example in a virtual machine.",
  };
}

function limitsMemory(systemdRun: string | undefined): boolean {
  const cgroup = makeCgroup(defaultLimits);
  cgroup?.remove();
  return cgroup?.limitsMemory ?? systemdRun !== undefined;
}

/** Returns the system's Python, which every user can run, or the one on PATH. */
async function systemPython(): Promise<PythonInstallation | undefined> {
  const command = findProgram("python3", "/usr/bin") ?? findProgram("python3");
  return command === undefined ? undefined : findPythonInstallation(command).catch(() => undefined);
}

async function tryOut(sandbox: Sandbox): Promise<string | undefined> {
  const program = sandbox.start({ command: "/bin/sh", args: ["-c", "exit 7"] });
  program.stdin.end();
  program.stdout.resume();
  let said = "";
  program.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < 500) said += text;
  });
  const end = await program.ended;
  if (end.status === "exited" && end.code === 7) return undefined;
  if (end.status === "not_started") return end.message;
  return said.trim().split("\n").at(-1) ?? "it exits immediately";
}
