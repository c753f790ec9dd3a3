import type { OptionValues } from "../../arguments/option.ts";
import type { Configuration } from "../../configuration/configuration.ts";

/** The configuration of this process, or undefined: what is wrong was said on standard error. */
export async function readConfiguration(flags: OptionValues): Promise<Configuration | undefined> {
  const { loadConfiguration } = await import("../../configuration/load-configuration.ts");
  const outcome = await loadConfiguration({
    directory: process.cwd(),
    environment: process.env,
    flags,
  });
  for (const warning of outcome.warnings) process.stderr.write(`warning: ${warning}\n`);
  if (outcome.status === "valid") return outcome.configuration;
  for (const problem of outcome.problems) process.stderr.write(`${problem}\n`);
  return undefined;
}
