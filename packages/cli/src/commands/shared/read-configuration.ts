import { CommandFailure, type OptionValues, printNotice } from "../../arguments/command.ts";
import {
  acceptConfiguration,
  type ConfigurationReview,
  reviewConfiguration,
} from "../../configuration/accepted-configuration.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import type { LoadConfigurationOptions } from "../../configuration/load-configuration.ts";

/** The configuration of this process: the last accepted one while a looser one waits. @throws CommandFailure with all that is wrong with it */
export async function readConfiguration(flags: OptionValues): Promise<Configuration> {
  return appliedConfiguration(await readReview(flags));
}

/** The settings file of this process, compared with the accepted one. @throws CommandFailure with all that is wrong with it */
export async function readReview(flags: OptionValues): Promise<ConfigurationReview> {
  const review = await reviewConfiguration(optionsOf(flags));
  for (const warning of review.warnings) printNotice(`warning: ${warning}`);
  if (review.status === "invalid") throw new CommandFailure(review.problems.join("\n"), 2);
  return review;
}

function optionsOf(flags: OptionValues): LoadConfigurationOptions {
  return { directory: process.cwd(), environment: process.env, flags };
}

/**
 * Returns a function that checks whether a changed settings file waits for acceptance. Each call
 * reads the stored state.
 */
export async function configurationWaits(flags: OptionValues): Promise<boolean> {
  const { status } = await reviewConfiguration(optionsOf(flags));
  return status === "waits" || status === "unknown";
}

/** Returns what applies until a user accepts a change, and says so. @throws CommandFailure */
export function appliedConfiguration(review: ConfigurationReview): Configuration {
  if (review.status === "unknown")
    throw new CommandFailure(
      `${review.problem}\nWhether ${review.changed.settingsFile} allows more than the accepted version is unknown. ${howToAccept}`,
      2,
    );
  if (review.status !== "waits") return review.changed;
  printNotice(
    `${review.changed.settingsFile} allows more than the accepted version (${review.looser.join(", ")}). The last accepted configuration applies. ${howToAccept}`,
  );
  return review.accepted;
}

/** Stores a configuration that nobody needs to accept, once a server has started with it. */
export async function keepConfiguration(review: ConfigurationReview): Promise<void> {
  if (review.status !== "first" && review.status !== "stricter") return;
  await acceptConfiguration(review).catch((error: unknown) =>
    printNotice(
      `warning: the configuration could not be stored as accepted, so that changes of it are not noticed: ${error instanceof Error ? error.message : String(error)}`,
    ),
  );
}

const howToAccept =
  "Look at it with `capstan config diff`; `capstan config accept` or `capstan serve --accept-config` accepts it.";
