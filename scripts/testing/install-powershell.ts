import { runCommand } from "../command.ts";

const project = "packages/scripts/src/testing/powershell-host/powershell-host.csproj";

/**
 * Builds the PowerShell of the tests, if one of these files runs with it. Needs the .NET SDK; takes
 * 10 s at first, then 2 s. If it cannot be built, prints the reason; the tests are then skipped.
 *
 * @param files the test files of this run
 */
export async function ensurePowerShell(files: readonly string[]): Promise<void> {
  if (!files.some((file) => /powershell.*\.real\.test\.ts$|^test\/guides\.test\.ts$/.test(file)))
    return;
  const { code, output } = await runCommand(
    "dotnet",
    ["build", project, "-c", "Release", "--artifacts-path", "node_modules/.powershell-host"].concat(
      ["--nologo", "-v", "q"],
    ),
    { env: { DOTNET_CLI_TELEMETRY_OPTOUT: "1", DOTNET_NOLOGO: "1" } },
  );
  if (code === 0) return;
  const reason = code === 127 ? "There is no .NET SDK." : `dotnet build failed: ${output}`;
  console.log(`${reason}\nTests with a real PowerShell are skipped.`);
}
