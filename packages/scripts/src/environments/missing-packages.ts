import { errorMessage } from "@capstan/core/host";
import type { PythonInstallation } from "@capstan/sandbox";
import type { ScriptNeeds } from "../library/tool-library.ts";
import { mayRequirePackages, type PythonEnvironments } from "./python-environments.ts";

/**
 * Reports plugins with missing packages before their calls fail.
 *
 * @param options.python called when the first plugin with requirements is read; returns undefined
 * if there is no Python
 */
export function missingPackages(options: {
  readonly environments: PythonEnvironments;
  readonly python: () => Promise<PythonInstallation | undefined>;
}): ScriptNeeds {
  const { environments } = options;
  let foundPython: Promise<PythonInstallation | undefined> | undefined;
  return {
    async missing(script) {
      if (!mayRequirePackages(script)) return undefined;
      try {
        foundPython ??= options.python();
        const python = await foundPython;
        // It may be installed while the server runs.
        if (python === undefined) foundPython = undefined;
        const environment = python && (await environments.find(script, python));
        return environment?.status === "missing" ? environment.message : undefined;
      } catch (thrown) {
        foundPython = undefined;
        return `Cannot check whether its packages are installed: ${errorMessage(thrown)}.`;
      }
    },
    subscribe: (listener) => environments.subscribe(listener),
  };
}
