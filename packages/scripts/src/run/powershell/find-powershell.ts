import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import { promisify } from "node:util";
import { errorMessage } from "@capstan/core/host";
import { findProgram } from "@capstan/sandbox";

/** An installed PowerShell. */
export interface PowerShellInstallation {
  readonly executable: string;
  readonly version: string;
  /** The folders that it needs to run: its own, and .NET's. */
  readonly folders: readonly string[];
  /** The environment variables that it needs. */
  readonly env: { readonly [name: string]: string };
}

/** A PowerShell that can run scripts, or why there is none. */
export type PowerShellFound =
  | ({ readonly status: "found" } & PowerShellInstallation)
  | { readonly status: "missing"; readonly message: string };

const versionScript = [
  '"$($PSVersionTable.PSVersion)"',
  "$PSHOME",
  "[System.Runtime.InteropServices.RuntimeEnvironment]::GetRuntimeDirectory()",
].join("; ");

/** No telemetry, no update checks, no files left behind. */
const quietEnvironment = {
  POWERSHELL_TELEMETRY_OPTOUT: "1",
  POWERSHELL_UPDATECHECK: "Off",
  DOTNET_EnableDiagnostics: "0",
  NO_COLOR: "1",
};

/**
 * Finds a PowerShell that can run scripts: 7 or later.
 *
 * @param options.interpreter the only one to try
 * @default `pwsh` on PATH
 */
export async function findPowerShell(options: {
  readonly interpreter?: string | undefined;
}): Promise<PowerShellFound> {
  const { interpreter = "pwsh" } = options;
  const path = isAbsolute(interpreter) ? interpreter : findProgram(interpreter);
  if (path === undefined || !existsSync(path)) return missing(`${interpreter} was not found`);
  try {
    const args = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", versionScript];
    const { stdout } = await promisify(execFile)(path, args, {
      timeout: 30_000,
      env: { ...process.env, ...quietEnvironment },
    });
    const [version = "", home = "", runtime = ""] = stdout.trim().split(/\r?\n/);
    if (!(Number.parseInt(version, 10) >= 7)) return missing(`${path} is PowerShell ${version}`);
    const folders = [dirname(realpathSync(path)), home, runtime];
    // The folder of .NET, if PowerShell uses it: …/shared/Microsoft.NETCore.App/8.0.1/
    const root = /^(.+)[\\/]shared[\\/]Microsoft\.NETCore\.App[\\/]/.exec(runtime)?.[1];
    return {
      status: "found",
      executable: path,
      version,
      folders: [...new Set([path, ...folders, ...(root === undefined ? [] : [root])])].filter(
        // The sandbox has the system's own folders anyway.
        (folder) => isAbsolute(folder) && folder !== "/usr" && !folder.startsWith("/usr/"),
      ),
      env: root === undefined ? quietEnvironment : { ...quietEnvironment, DOTNET_ROOT: root },
    };
  } catch (thrown) {
    return missing(`${path} does not answer: ${errorMessage(thrown).split("\n", 1)[0]}`);
  }
}

function missing(why: string): PowerShellFound {
  return {
    status: "missing",
    message: `PowerShell scripts need PowerShell 7 or later (${why}). Install it (https://aka.ms/install-powershell), or set CAPSTAN_PWSH=/path/to/pwsh.`,
  };
}
