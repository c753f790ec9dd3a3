import type { Options, OptionValues } from "../arguments/command.ts";
import { settingHelp } from "../texts/command-help.ts";
import type { Settings } from "./settings-schema.ts";

/** Flags of settings, in the order of the help. Most can also be set by an environment variable. */
export const settingOptions = {
  config: {
    type: "string",
    placeholder: "FILE",
    description: settingHelp.config,
  },
  port: {
    type: "string",
    placeholder: "N",
    description: settingHelp.port,
    environment: "CAPSTAN_PORT",
  },
  host: {
    type: "string",
    placeholder: "HOST",
    description: settingHelp.host,
    environment: "CAPSTAN_HOST",
  },
  data: {
    type: "string",
    placeholder: "DIR",
    description: settingHelp.data,
    environment: "CAPSTAN_DATA_DIR",
  },
  model: {
    type: "string",
    placeholder: "MODEL",
    description: settingHelp.model,
    environment: "CAPSTAN_DEFAULT_MODEL",
  },
} as const satisfies Options;

export type GivenSetting = {
  readonly key: keyof Settings;
  /** The name of the source in messages. */
  readonly source: string;
  readonly text: string;
};

const keys = ["port", "host", "data", "model"] as const;

/** Reads the settings of the environment. An empty variable counts as unset. */
export function readEnvironmentSettings(environment: {
  readonly [name: string]: string | undefined;
}): readonly GivenSetting[] {
  return keys.flatMap((key) => {
    const source = settingOptions[key].environment;
    const text = environment[source]?.trim();
    return text ? [{ key, source, text }] : [];
  });
}

/** Reads the settings of the flags. */
export function readFlagSettings(values: OptionValues): readonly GivenSetting[] {
  return keys.flatMap((key) => {
    const text = values[key];
    return typeof text === "string" ? [{ key, source: `--${key}`, text }] : [];
  });
}
