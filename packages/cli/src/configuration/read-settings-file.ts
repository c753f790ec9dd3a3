import { readFile } from "node:fs/promises";
import type { Settings } from "./settings-schema.ts";

/** The settings of one source. */
export interface SettingsLayer {
  readonly settings: Settings;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly places: SettingLocations;
  /** Unknown settings, as JSON. */
  readonly unknown: readonly string[];
  /** The text of the file; absent if there is no file. */
  readonly text?: string;
}

/** The positions of groups and tools, as `file:line` by key: `rules[0].tool`, `groups.web`. */
export type SettingLocations = { readonly [key: string]: string };

export const emptyLayer: SettingsLayer = {
  settings: {},
  problems: [],
  warnings: [],
  places: {},
  unknown: [],
};

/**
 * Reads a settings file: JSON with optional comments and trailing commas. Every message
 * begins with the file, the line and the key.
 *
 * @param shown the file's name in messages
 * @param required whether a missing file is a problem, or equals an empty one
 */
export async function readSettingsFile(options: {
  readonly path: string;
  readonly shown: string;
  readonly required: boolean;
}): Promise<SettingsLayer> {
  const { path, shown, required } = options;
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Ignore a folder: while code runs, an empty folder reserves the name, and it remains after a
    // crash.
    if ((code === "ENOENT" || code === "EISDIR") && !required) return emptyLayer;
    const why = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    return { ...emptyLayer, problems: [`${shown}: ${why}`] };
  }
  // Load the parser only if there is a file.
  const { parseSettings } = await import("./parse-settings.ts");
  return { ...parseSettings(text, shown), text };
}
