import { toolError, type ToolError } from "@capstan/core";
import { findPythonInstallation, type Sandbox } from "@capstan/sandbox";
import type { PythonEnvironments } from "../environments/python-environments.ts";
import type { Script } from "../definition/script-function.ts";
import { findPowerShell, type PowerShellFound } from "./powershell/find-powershell.ts";
import { powershellWorkerCommand } from "./powershell/powershell-worker-command.ts";
import { pythonWorkerCommand } from "./python/python-worker-command.ts";
import type { WorkerCommand } from "./worker/worker-command.ts";

/** Options of `findInterpreters`. */
export interface InterpreterOptions {
  /** Finds the Python that runs scripts, or why there is none. */
  readonly python: () => Promise<
    | { readonly status: "found"; readonly executable: string }
    | { readonly status: "missing"; readonly message: string }
  >;
  /** Finds PowerShell. @default the one on PATH */
  readonly powershell?: () => Promise<PowerShellFound>;
  /** The packages of plugins. Without it, no script has packages. */
  readonly environments?: PythonEnvironments;
}

/**
 * Returns a function that returns the command of a script's workers, or why they cannot run. Each
 * interpreter is searched once.
 */
export function findInterpreters(
  options: InterpreterOptions & { readonly sandbox: Sandbox["kind"] },
): (script: Script) => Promise<WorkerCommand | ToolError> {
  const { environments, sandbox } = options;
  const findPython = cacheFound(options.python);
  const findShell = cacheFound(options.powershell ?? (() => findPowerShell({})));
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

/**
 * Searching takes as long as many calls. A missing interpreter is searched again, because it may be
 * installed later.
 */
function cacheFound<Found extends { readonly status: string }>(
  find: () => Promise<Found>,
): () => Promise<Found> {
  let search: Promise<Found> | undefined;
  return async () => {
    search ??= find();
    const found = await search;
    if (found.status === "missing") search = undefined;
    return found;
  };
}
