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
  let looked: Promise<PythonInstallation | undefined> | undefined;
  return {
    async missing(script) {
      if (!mayRequirePackages(script)) return undefined;
      try {
        looked ??= options.python();
        const python = await looked;
        // It may be installed while the server runs.
        if (python === undefined) looked = undefined;
        const found = python && (await environments.find(script, python));
        return found?.status === "missing" ? found.message : undefined;
      } catch (thrown) {
        looked = undefined;
        return `Cannot check whether its packages are installed: ${errorMessage(thrown)}.`;
      }
    },
    subscribe: (listener) => environments.subscribe(listener),
  };
}
