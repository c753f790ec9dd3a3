import { openProgramKeys, type StopSummary } from "@capstan/server";
import { describeDatabase } from "@capstan/store";
import { CommandFailure, type Invocation, printNotice } from "../arguments/command.ts";
import {
  acceptConfiguration,
  type ConfigurationReview,
} from "../configuration/accepted-configuration.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { describeApprovers } from "../configuration/describe-approvers.ts";
import { packageVersion } from "../install/package-version.ts";
import { type RunningInstallation, startInstallation } from "../install/start-installation.ts";
import { buildPageFromSource } from "../install/web-page.ts";
import { confirm } from "./shared/confirm.ts";
import { isInteractive } from "./shared/is-interactive.ts";
import { pairingText } from "./shared/pairing-text.ts";
import {
  appliedConfiguration,
  configurationWaits,
  keepConfiguration,
  readReview,
} from "./shared/read-configuration.ts";
import { startFailure } from "./shared/start-failure.ts";
import { onSecondSignal, stopSignal } from "./shared/stop-signal.ts";
import { commandTexts } from "../texts/commands.ts";

const texts = commandTexts.serve;

/** Runs the server until a signal stops it. */
export async function serve({ values }: Invocation): Promise<number> {
  const review = await confirmedReview(values);
  const configuration = appliedConfiguration(review);
  const stopped = stopSignal();
  const installation = await startInstallation({
    configuration,
    environment: process.env,
    log: printNotice,
    configurationWaits: () => configurationWaits(values),
  }).catch(async (error: unknown) => {
    const why = await startFailure(error, configuration);
    throw why === undefined ? error : new CommandFailure(why, 1);
  });
  await keepConfiguration(review);
  const programs = openProgramKeys({ folder: configuration.dataDir })
    .list()
    .map(({ name }) => name);
  process.stdout.write(banner(installation, { ...configuration, programs }));
  // A link in a log would pair any reader of the log.
  if (isInteractive()) process.stdout.write(pairingText(installation.createPairingLink()));
  for (const warning of installation.warnings) printNotice(`warning: ${warning}`);
  // The page is built after the address is printed, because the API works without it.
  buildPageFromSource().catch((error: unknown) =>
    printNotice(texts.pageFailed(error instanceof Error ? error.message : "")),
  );
  const failure = await Promise.race([stopped.then(() => undefined), installation.failed]);
  if (failure !== undefined) {
    printNotice(texts.failed(failure.message));
    // The next server recovers the runs, as after a crash.
    await installation.close({ graceMs: 0 });
    return 1;
  }
  printNotice(texts.stopping);
  onSecondSignal((signal) => process.exit(signal === "SIGINT" ? 130 : 143));
  printNotice(stoppedLine(await installation.close()));
  return 0;
}

/**
 * Asks the user to accept a configuration that allows more than the accepted one. Without a
 * terminal, or if the user declines, the accepted one applies.
 */
async function confirmedReview(values: Invocation["values"]): Promise<ConfigurationReview> {
  const review = await readReview(values);
  if (review.status !== "waits" && review.status !== "unknown") return review;
  if (values["accept-config"] !== true) {
    if (!isInteractive()) return review;
    const { describeChange } = await import("./config.ts");
    process.stdout.write(describeChange(review));
    if (!(await confirm(commandTexts.config.confirm, commandTexts.noTerminal))) return review;
  }
  await acceptConfiguration(review);
  return { ...review, status: "same" };
}

/** Returns the message of a server that has stopped. */
export function stoppedLine({ handedBack, waits }: StopSummary): string {
  if (handedBack === 0 && !waits) return texts.stoppedIdle;
  return [
    texts.stopped,
    ...(handedBack === 0 ? [] : [texts.handedBack(handedBack)]),
    ...(waits ? [texts.approvalsOpen] : []),
  ].join(" ");
}

/** Returns the message of a server that has started. */
export function banner(
  { url, model }: Pick<RunningInstallation, "url" | "model">,
  {
    dataDir,
    databaseUrl,
    redisUrl,
    apiKeys,
    approvalsFrom,
    programs = [],
  }: Pick<Configuration, "dataDir" | "databaseUrl" | "redisUrl" | "apiKeys" | "approvalsFrom"> & {
    /** The names of the connected programs. */
    readonly programs?: readonly string[];
  },
): string {
  const data =
    databaseUrl === undefined ? dataDir : `PostgreSQL at ${describeDatabase(databaseUrl)}`;
  const queue = redisUrl === undefined ? "" : `  queue    Redis at ${describeDatabase(redisUrl)}\n`;
  const names = [...new Set(apiKeys.map((key) => key.name))].join(", ");
  return `Capstan ${packageVersion()}
  address  ${url}
  model    ${model.id} (${model.reason})
  data     ${data}
${queue}${names === "" ? "" : `  keys     ${names}\n`}${programs.length === 0 ? "" : `  programs ${programs.join(", ")}\n`}  approve  ${describeApprovers({ approvalsFrom, apiKeys, programs })}
  stop     Ctrl+C
`;
}
