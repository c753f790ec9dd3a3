import { CommandFailure, type OptionValues, printNotice } from "../../arguments/command.ts";
import {
  acceptConfiguration,
  type ConfigurationReview,
  reviewConfiguration,
} from "../../configuration/accepted-configuration.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import type { LoadConfigurationOptions } from "../../configuration/load-configuration.ts";
import { commandTexts } from "../../texts/commands.ts";

const texts = commandTexts.config;

/**
 * Returns the configuration of this process. If a looser one waits for acceptance, this is the last
 * accepted one.
 *
 * @throws CommandFailure with all problems of the configuration
 */
export async function readConfiguration(flags: OptionValues): Promise<Configuration> {
  return appliedConfiguration(await readReview(flags));
}

/**
 * Compares the settings file of this process with the accepted one.
 *
 * @throws CommandFailure with all problems of the configuration
 */
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
 * Returns whether a changed settings file waits for acceptance. Each call reads the stored state.
 */
export async function configurationWaits(flags: OptionValues): Promise<boolean> {
  const { status } = await reviewConfiguration(optionsOf(flags));
  return status === "waits" || status === "unknown";
}

/**
 * Returns the configuration that applies until a user accepts a change, and prints a notice.
 *
 * @throws CommandFailure if the accepted version cannot be read
 */
export function appliedConfiguration(review: ConfigurationReview): Configuration {
  if (review.status === "unknown")
    throw new CommandFailure(
      `${texts.unknown(review.problem, review.changed.settingsFile)} ${texts.howToAccept}`,
      2,
    );
  if (review.status !== "waits") return review.changed;
  printNotice(
    `${texts.waits(review.changed.settingsFile, review.looser.join(", "))} ${texts.howToAccept}`,
  );
  return review.accepted;
}

/** Stores a configuration that needs no acceptance, after a server has started with it. */
export async function keepConfiguration(review: ConfigurationReview): Promise<void> {
  if (review.status !== "first" && review.status !== "stricter") return;
  await acceptConfiguration(review).catch((error: unknown) =>
    printNotice(texts.notStored(error instanceof Error ? error.message : String(error))),
  );
}
