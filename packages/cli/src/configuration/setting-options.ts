import type { Options, OptionValues } from "../arguments/command.ts";
import type { Settings } from "./settings-schema.ts";

/** Settings that a flag or a variable of the environment can give too, in this order. */
export const settingOptions = {
  config: {
    type: "string",
    placeholder: "FILE",
    description: "Settings file; default capstan.config.json, if it exists",
  },
  port: {
    type: "string",
    placeholder: "N",
    description: "Port; default 8787, 0 takes any free one",
    environment: "CAPSTAN_PORT",
  },
  host: {
    type: "string",
    placeholder: "HOST",
    description: "Address to listen on; default 127.0.0.1, this machine only",
    environment: "CAPSTAN_HOST",
  },
  data: {
    type: "string",
    placeholder: "DIR",
    description: "Where conversations are kept; default .capstan",
    environment: "CAPSTAN_DATA_DIR",
  },
  model: {
    type: "string",
    placeholder: "MODEL",
    description: "Default model, as provider/model",
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
