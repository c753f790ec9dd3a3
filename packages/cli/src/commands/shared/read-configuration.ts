import { CommandFailure, type OptionValues, printNotice } from "../../arguments/command.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { loadConfiguration } from "../../configuration/load-configuration.ts";

/** The configuration of this process. @throws CommandFailure with all that is wrong with it */
export async function readConfiguration(flags: OptionValues): Promise<Configuration> {
  const outcome = await loadConfiguration({
    directory: process.cwd(),
    environment: process.env,
    flags,
  });
  for (const warning of outcome.warnings) printNotice(`warning: ${warning}`);
  if (outcome.status === "valid") return outcome.configuration;
  throw new CommandFailure(outcome.problems.join("\n"), 2);
}
