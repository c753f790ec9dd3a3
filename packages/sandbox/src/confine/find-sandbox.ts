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
  if (process.platform !== "linux")
    return missing(
      "Programs are confined only on Linux.",
      "Run Capstan on Linux, in a virtual machine or in WSL 2.",
    );
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
        "Let this user make user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap); a container needs a seccomp profile that lets it.",
      );
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
  return said.trim().split("\n").at(-1) ?? "it ends at once";
}
