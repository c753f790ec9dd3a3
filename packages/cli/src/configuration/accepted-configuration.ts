import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Configuration, ConfigurationOutcome } from "./configuration.ts";
import { loadConfiguration, type LoadConfigurationOptions } from "./load-configuration.ts";
import { loosenedSettings } from "./loosened-settings.ts";

/** The text of a settings file; null if there was none. */
type SettingsText = string | null;

/** How a valid settings file differs from the last accepted one. */
export type ConfigurationReview = {
  /** The current configuration of the file. */
  readonly changed: Configuration;
  readonly text: SettingsText;
  readonly warnings: readonly string[];
} &
  /** No configuration has been accepted yet. */
  (
    | { readonly status: "first" }
    | { readonly status: "same" }
    | {
        /** It changed, and allows nothing more. */
        readonly status: "stricter";
        readonly acceptedText: SettingsText;
      }
    | {
        /** It changed and allows more, and no user has accepted that. */
        readonly status: "waits";
        readonly looser: readonly string[];
        readonly acceptedText: SettingsText;
        /** The configuration that applies until a user accepts the change. */
        readonly accepted: Configuration;
      }
    | {
        /** The accepted version cannot be read, or is no longer valid. */
        readonly status: "unknown";
        readonly problem: string;
        readonly acceptedText: SettingsText;
      }
  );

/** Compares the settings file with the last accepted one. Stores nothing. */
export async function reviewConfiguration(
  options: LoadConfigurationOptions,
): Promise<ConfigurationReview | Extract<ConfigurationOutcome, { readonly status: "invalid" }>> {
  const outcome = await loadConfiguration(options);
  if (outcome.status === "invalid") return outcome;
  const { configuration: changed, warnings, text = null } = outcome;
  const found = { changed, warnings, text };
  const record = await readRecord(changed.acceptedDir);
  if (record === "unreadable") {
    const problem = `${recordFile(changed.acceptedDir)} is not a valid record of the accepted configuration.`;
    return { ...found, status: "unknown", problem, acceptedText: null };
  }
  const acceptedText = Object.hasOwn(record, changed.settingsFile)
    ? record[changed.settingsFile]
    : undefined;
  if (acceptedText === undefined) return { ...found, status: "first" };
  if (acceptedText === text) return { ...found, status: "same" };
  const accepted = await loadConfiguration({ ...options, settingsText: acceptedText });
  if (accepted.status === "invalid")
    return { ...found, status: "unknown", problem: accepted.problems.join("\n"), acceptedText };
  const looser = loosenedSettings(accepted.configuration, changed);
  return looser.length === 0
    ? { ...found, status: "stricter", acceptedText }
    : { ...found, status: "waits", looser, acceptedText, accepted: accepted.configuration };
}

/**
 * Stores a configuration as accepted. From the next start on, only changes that allow more than
 * this one need acceptance.
 */
export async function acceptConfiguration({
  changed: { acceptedDir, settingsFile },
  text,
}: Pick<ConfigurationReview, "changed" | "text">): Promise<void> {
  const record = await readRecord(acceptedDir);
  const all = { ...(record === "unreadable" ? {} : record), [settingsFile]: text };
  await mkdir(acceptedDir, { recursive: true, mode: 0o700 });
  const file = recordFile(acceptedDir);
  const draft = `${file}.${process.pid}.new`;
  await using handle = await open(draft, "w", 0o600);
  await handle.writeFile(JSON.stringify(all, null, 2));
  await handle.sync();
  await rename(draft, file);
  await using folder = await open(acceptedDir);
  await folder.sync();
}

function recordFile(acceptedDir: string): string {
  return join(acceptedDir, "accepted-configuration.json");
}

const stored = z.record(z.string(), z.string().nullable());

/**
 * Reads the accepted texts by the paths of their settings files, because several files may share a
 * data directory.
 */
async function readRecord(acceptedDir: string): Promise<z.infer<typeof stored> | "unreadable"> {
  let text: string;
  try {
    text = await readFile(recordFile(acceptedDir), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? {} : "unreadable";
  }
  try {
    return stored.parse(JSON.parse(text));
  } catch {
    return "unreadable";
  }
}
