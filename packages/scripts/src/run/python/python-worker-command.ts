import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PythonInstallation, Sandbox } from "@capstan/sandbox";
import { environmentInside } from "../../environments/python-environments.ts";
import type { WorkerCommand } from "../worker/worker-command.ts";

/**
 * The same path from the source and from the build, because both are two folders below the package.
 */
const workerFolder = fileURLToPath(new URL("./", import.meta.url));

/**
 * Returns the command of Python workers.
 *
 * @param options.environment the virtual environment with the packages that the script requires
 */
export function pythonWorkerCommand(options: {
  readonly python: PythonInstallation;
  readonly environment: string | undefined;
  readonly sandbox: Sandbox["kind"];
}): WorkerCommand {
  const { python, environment, sandbox } = options;
  const seen = environment !== undefined && sandbox !== "none" ? environmentInside : environment;
  return {
    command: seen === undefined ? python.executable : join(seen, "bin", "python"),
    args: ["-I", join(workerFolder, "worker.py")],
    read: [workerFolder, ...python.folders],
    shown: environment === undefined ? [] : [{ at: environmentInside, from: environment }],
  };
}
