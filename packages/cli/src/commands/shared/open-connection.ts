import { readFile } from "node:fs/promises";
import { type Client, createClient } from "@capstan/client";
import { CommandFailure, type Invocation, textOption } from "../../arguments/command.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import {
  appliedConfiguration,
  configurationWaits,
  keepConfiguration,
  readReview,
} from "./read-configuration.ts";
import { isInteractive } from "./is-interactive.ts";
import { startFailure } from "./start-failure.ts";
import { commandTexts } from "../../texts/commands.ts";

const texts = commandTexts.connection;

export interface Connection {
  readonly client: Client;
  readonly url: string;
  readonly key: string | undefined;
  /** Stops the server if this process started it. */
  readonly close: () => Promise<void>;
}

/**
 * Connects to the server of the flag `--url`, or to the server of the configured data directory,
 * which is started here if none runs.
 *
 * @param key @default that of the environment, or the user's own
 * @throws CommandFailure
 */
export async function openConnection(
  values: Invocation["values"],
  key: string | undefined = process.env["CAPSTAN_API_KEY"],
): Promise<Connection> {
  const url = textOption(values, "url");
  if (url !== undefined) {
    // Another server must not get the keys of the configured one.
    if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return connectionTo(url, key);
    throw new CommandFailure(texts.invalidUrl(url), 2);
  }
  const review = await readReview(values);
  const configuration = appliedConfiguration(review);
  try {
    return await connectToHolder({
      configuration,
      key,
      onStart: () => keepConfiguration(review),
      configurationWaits: () => configurationWaits(values),
    });
  } catch (error) {
    const why = await startFailure(error, configuration);
    throw why === undefined ? error : new CommandFailure(why, 1);
  }
}

/** Returns the server that uses the data directory, or starts one in this process. */
async function connectToHolder({
  configuration,
  key,
  onStart,
  configurationWaits: waits,
}: {
  readonly configuration: Configuration;
  readonly key: string | undefined;
  readonly onStart: () => Promise<void>;
  readonly configurationWaits: () => Promise<boolean>;
}): Promise<Connection> {
  const holder = await findHolder(configuration.dataDir);
  const ownKey = async (url: string) => key ?? (await keyFor(configuration, url));
  if (holder !== undefined) return connectionTo(holder, await ownKey(holder));
  const { startInstallation } = await import("../../install/start-installation.ts");
  try {
    const own = { ...configuration, host: "127.0.0.1", port: 0 };
    const installation = await startInstallation({
      configuration: own,
      environment: process.env,
      configurationWaits: waits,
    });
    await onStart();
    const close = async () => void (await installation.close());
    return { ...connectionTo(installation.url, await ownKey(installation.url)), close };
  } catch (error) {
    // Another process has started a server meanwhile.
    if (!(error instanceof Error && "code" in error && error.code === "data_directory_locked"))
      throw error;
    const url = await findHolder(configuration.dataDir);
    if (url === undefined) throw error;
    return connectionTo(url, await ownKey(url));
  }
}

/**
 * Returns the user's own key if there is a terminal, otherwise the first configured key, which may
 * have only the right to ask.
 */
async function keyFor(
  { dataDir, apiKeys }: Configuration,
  url: string,
): Promise<string | undefined> {
  const own = isInteractive() ? await readTerminalKey(dataDir, url) : undefined;
  return own ?? apiKeys[0]?.key;
}

/** Returns the key that a server wrote for terminals of its user, or `undefined` if this user cannot read it. */
export async function readTerminalKey(dataDir: string, url: string): Promise<string | undefined> {
  const { terminalKeyFile } = await import("@capstan/server");
  const file = terminalKeyFile(dataDir, Number(URL.parse(url)?.port));
  return readFile(file, "utf8").catch(() => undefined);
}

function connectionTo(url: string, key: string | undefined): Connection {
  const { keyHint } = texts;
  const client = createClient({ url, key, keyHint });
  return { client, url, key, close: () => Promise.resolve() };
}

/** Returns the address of the server that uses the data directory, if it responds. */
export async function findHolder(dataDir: string): Promise<string | undefined> {
  const { readLock } = await import("@capstan/store");
  const url = (await readLock(dataDir))?.url;
  if (url === undefined) return undefined;
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2000) });
    return response.ok ? url : undefined;
  } catch {
    return undefined;
  }
}
