import { unreadableFile } from "../definition/parsed-file.ts";
import { parsePowerShell } from "./powershell/parse-powershell.ts";
import { findPython, type PythonFound } from "./python/find-python.ts";
import { parsePython } from "./python/parse-python.ts";
import type { ReadScriptsOptions } from "./read-scripts.ts";

/**
 * Creates the readers of all languages. It looks for Python when the first Python file is read.
 *
 * @param options.python the interpreter
 * @default the one on PATH
 */
export function languageParsers(
  options: { readonly python?: string | undefined } = {},
): ReadScriptsOptions["parsers"] {
  let found: Promise<PythonFound> | undefined;
  return {
    powershell: parsePowerShell,
    async python(sources, signal) {
      found ??= findPython({ interpreter: options.python });
      const python = await found;
      if (python.status === "missing") {
        // It may be installed while the server runs.
        found = undefined;
        return sources.map(() => unreadableFile(python.message));
      }
      const { executable } = python;
      return parsePython(sources, { executable, ...(signal && { signal }) });
    },
  };
}
