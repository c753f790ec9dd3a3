import { posix, win32 } from "node:path";

/** The machine whose clients are configured. Tests pass other machines. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The folders in which programs of a user keep their settings. */
export interface SettingsFolders {
  readonly home: string;
  /** `~/.config`, or `%APPDATA%`. */
  readonly config: string;
  /** `~/.config`, `~/Library/Application Support`, or `%APPDATA%`. */
  readonly application: string;
  readonly join: (...parts: readonly string[]) => string;
}

/** Returns the settings folders of a machine. */
export function settingsFolders({ platform, home, environment }: Machine): SettingsFolders {
  const isWindows = platform === "win32";
  const { join } = isWindows ? win32 : posix;
  const given = (name: string) => environment[name]?.trim() || undefined;
  if (isWindows) {
    const roaming = given("APPDATA") ?? join(home, "AppData", "Roaming");
    return { home, config: roaming, application: roaming, join };
  }
  const dotConfig = join(home, ".config");
  if (platform === "darwin")
    return {
      home,
      config: dotConfig,
      application: join(home, "Library", "Application Support"),
      join,
    };
  const config = given("XDG_CONFIG_HOME") ?? dotConfig;
  return { home, config, application: config, join };
}
