import { findProgram } from "@capstan/sandbox";
import { startReader } from "./reader-process.ts";

/** A Python that can run scripts, or why there is none. */
export type PythonFound =
  | { readonly status: "found"; readonly executable: string; readonly version: string }
  | { readonly status: "missing"; readonly message: string };

/**
 * Finds a Python that can read and run scripts: 3.9 or later.
 *
 * @param options.interpreter the only one to try
 * @default `python3` and `python` on PATH
 */
export async function findPython(options: {
  readonly interpreter?: string | undefined;
}): Promise<PythonFound> {
  const { interpreter } = options;
  const candidates = interpreter === undefined ? ["python3", "python"] : [interpreter];
  const reasons: string[] = [];
  for (const candidate of candidates) {
    // Relative folders on PATH are ignored, as for every other program.
    const executable = findProgram(candidate) ?? candidate;
    const reader = startReader({ executable });
    const start = await reader.started;
    reader.end();
    if (start.status === "failed") reasons.push(`${candidate}: ${start.message}`);
    else if (start.isTooOld) reasons.push(`${candidate} is Python ${start.version}`);
    else return { status: "found", executable: start.executable, version: start.version };
  }
  return {
    status: "missing",
    message: `Python scripts need Python 3.9 or later, which was not found (${reasons.join("; ")}). Install it, or set CAPSTAN_PYTHON=/path/to/python3.`,
  };
}
