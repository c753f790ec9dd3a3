import { toolError, type ToolError } from "@capstan/core";
import { findPythonInstallation, type Sandbox } from "@capstan/sandbox";
import type { PythonEnvironments } from "../environments/python-environments.ts";
import type { Script } from "../definition/script-function.ts";
import { findPowerShell, type PowerShellFound } from "./powershell/find-powershell.ts";
import { powershellWorkerCommand } from "./powershell/powershell-worker-command.ts";
import { pythonWorkerCommand } from "./python/python-worker-command.ts";
import type { WorkerCommand } from "./worker/worker-command.ts";

export interface InterpreterOptions {
  /** The Python that runs scripts; why there is none. */
  readonly python: () => Promise<
    | { readonly status: "found"; readonly executable: string }
    | { readonly status: "missing"; readonly message: string }
  >;
  /** @default that on PATH */
  readonly powershell?: () => Promise<PowerShellFound>;
  /** What plugins require. Without it, no script has packages. */
  readonly environments?: PythonEnvironments;
}

/** What runs a script's workers here; why nothing does. Interpreters are looked for once. */
export function findInterpreters(
  options: InterpreterOptions & { readonly sandbox: Sandbox["kind"] },
): (script: Script) => Promise<WorkerCommand | ToolError> {
  const { environments, sandbox } = options;
  const findPython = foundOnce(options.python);
  const findShell = foundOnce(options.powershell ?? (() => findPowerShell({})));
  return async (script) => {
    if (script.language === "powershell") {
      const shell = await findShell();
      return shell.status === "missing"
        ? toolError({ code: "powershell_missing", message: shell.message })
        : powershellWorkerCommand(shell);
    }
    const found = await findPython();
    if (found.status === "missing")
      return toolError({ code: "python_missing", message: found.message });
    const python = await findPythonInstallation(found.executable);
    const packages = await environments?.find(script, python);
    if (packages?.status === "missing")
      return toolError({ code: "packages_missing", message: packages.message });
    const environment = packages?.status === "installed" ? packages.folder : undefined;
    return pythonWorkerCommand({ python, environment, sandbox });
  };
}

/** Looking takes as long as many calls; where there was none there may be one later. */
function foundOnce<Found extends { readonly status: string }>(
  find: () => Promise<Found>,
): () => Promise<Found> {
  let looked: Promise<Found> | undefined;
  return async () => {
    looked ??= find();
    const found = await looked;
    if (found.status === "missing") looked = undefined;
    return found;
  };
}
