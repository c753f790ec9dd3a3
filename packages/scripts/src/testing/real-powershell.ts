import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "@capstan/sandbox";
import { findPowerShell, type PowerShellFound } from "../run/powershell/find-powershell.ts";

/**
 * Returns a real PowerShell for tests: `CAPSTAN_PWSH`, the one on PATH, or one that the .NET SDK
 * installs, tried once a day.
 */
export async function realPowerShell(): Promise<PowerShellFound> {
  const interpreter = process.env["CAPSTAN_PWSH"];
  const found = await findPowerShell({ interpreter });
  if (found.status === "found" || findProgram("dotnet") === undefined) return found;
  const folder = join(tmpdir(), `capstan-test-powershell-${userInfo().username}`);
  const installed = join(folder, "pwsh");
  const attemptFile = join(folder, "tried");
  const today = new Date().toISOString().slice(0, 10);
  if (
    !existsSync(installed) &&
    !(existsSync(attemptFile) && readFileSync(attemptFile, "utf8") === today)
  ) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(attemptFile, today);
    const args = ["tool", "install", "PowerShell", "--tool-path", folder];
    await promisify(execFile)("dotnet", args, {
      timeout: 120_000,
      env: { ...process.env, DOTNET_CLI_TELEMETRY_OPTOUT: "1", DOTNET_NOLOGO: "1" },
    }).catch(() => {});
  }
  return existsSync(installed) ? findPowerShell({ interpreter: installed }) : found;
}
