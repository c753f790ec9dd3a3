import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findPowerShell, type PowerShellFound } from "../run/powershell/find-powershell.ts";
import type { Outline } from "../read/powershell/outline.ts";

/** The program that `scripts/testing/install-powershell.ts` builds from `powershell-host/`. */
const built = fileURLToPath(
  new URL(
    "../../../../node_modules/.powershell-host/bin/powershell-host/release/pwsh",
    import.meta.url,
  ),
);

/**
 * Returns a real PowerShell for tests: `CAPSTAN_PWSH`, the one on PATH, or else the engine with the
 * commands that the tests need, if it was built.
 */
export async function realPowerShell(): Promise<PowerShellFound> {
  const found = await findPowerShell({ interpreter: process.env["CAPSTAN_PWSH"] });
  return found.status === "found" || !existsSync(built)
    ? found
    : findPowerShell({ interpreter: built });
}

/** The outline of a source by PowerShell's own parser, or the errors if it rejects the source. */
export interface ParsedOutline extends Omit<Outline, "unclosed"> {
  readonly errors: readonly string[];
}

/**
 * Returns a function that parses sources with PowerShell itself, or `undefined` if PowerShell was
 * not built.
 */
export function powershellParser():
  | ((sources: readonly string[]) => Promise<readonly ParsedOutline[]>)
  | undefined {
  if (!existsSync(built)) return undefined;
  return async (sources) => {
    const run = promisify(execFile)(built, ["--outlines"], { maxBuffer: 64 * 1024 * 1024 });
    run.child.stdin?.end(JSON.stringify(sources));
    return JSON.parse((await run).stdout) as readonly ParsedOutline[];
  };
}
