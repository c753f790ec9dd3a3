import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { WorkerCommand } from "../worker/worker-command.ts";
import type { PowerShellInstallation } from "./find-powershell.ts";

/**
 * The same path from the source and from the build, because both are two folders below the package.
 */
const workerFolder = fileURLToPath(new URL("./", import.meta.url));

/** Returns the command of PowerShell workers. */
export function powershellWorkerCommand({
  executable,
  folders,
  env,
}: PowerShellInstallation): WorkerCommand {
  return {
    command: "/bin/sh",
    args: [
      "-c",
      // PowerShell itself reads the standard input, so the call uses another descriptor.
      'exec "$@" 5<&0 0</dev/null',
      "sh",
      executable,
      "-NoLogo",
      "-NoProfile",
      "-NonInteractive",
      "-File",
      join(workerFolder, "worker.ps1"),
    ],
    read: [workerFolder, ...folders],
    env,
    // .NET reserves far more address space than it uses.
    limits: { addressBytes: 0 },
    runsOneCall: true,
  };
}
