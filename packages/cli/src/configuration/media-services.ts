import { visionModel } from "@capstan/models";
import type { MediaService } from "@capstan/toolkit";
import type { Settings } from "./settings-schema.ts";

/** The services and the model of the group `media`. Keys are never printed. */
export interface MediaServices {
  readonly images?: MediaService;
  readonly transcription?: MediaService;
  /** `provider/model`. */
  readonly vision?: { readonly model: string };
}

interface ReadMediaServices {
  readonly services: MediaServices;
  readonly problems: readonly string[];
}

type Environment = { readonly [name: string]: string | undefined };

const openaiUrl = "https://api.openai.com/v1";

/**
 * Returns the services that the settings and the environment name. OpenAI's key is only sent to
 * OpenAI. A key for another service has its own variable.
 */
export function readMediaServices(
  settings: Pick<Settings, "images" | "transcription" | "vision">,
  environment: Environment,
): ReadMediaServices {
  const images = serviceOf(settings.images ?? {}, environment, {
    keyVariable: "CAPSTAN_IMAGES_KEY",
    defaultModel: "gpt-image-2",
  });
  const transcription = serviceOf(settings.transcription ?? {}, environment, {
    keyVariable: "CAPSTAN_TRANSCRIPTION_KEY",
    defaultModel: "gpt-4o-transcribe",
  });
  const model = settings.vision?.model ?? visionModel(environment);
  const noModel = (name: "images" | "transcription"): readonly string[] =>
    settings[name]?.url === undefined || settings[name].model !== undefined
      ? []
      : [`${name}.model: expected the name of a model of ${settings[name].url}, got nothing`];
  return {
    services: {
      ...(images !== undefined && { images }),
      ...(transcription !== undefined && { transcription }),
      ...(model !== undefined && { vision: { model } }),
    },
    problems: [...noModel("images"), ...noModel("transcription")],
  };
}

function serviceOf(
  given: { readonly url?: string; readonly model?: string },
  environment: Environment,
  { keyVariable, defaultModel }: { readonly keyVariable: string; readonly defaultModel: string },
): MediaService | undefined {
  const ownKey = valueOf(environment, keyVariable);
  const openaiKey = valueOf(environment, "OPENAI_API_KEY");
  const base = valueOf(environment, "OPENAI_BASE_URL");
  // Another server at OPENAI_BASE_URL may not support images or transcription, so `url` is required.
  const isOpenai = base === undefined || originOf(base) === originOf(openaiUrl);
  const url = given.url ?? (openaiKey !== undefined && isOpenai ? openaiUrl : undefined);
  if (url === undefined) return undefined;
  const key = ownKey ?? (originOf(url) === originOf(openaiUrl) ? openaiKey : undefined);
  return { url, model: given.model ?? defaultModel, ...(key !== undefined && { key }) };
}

function valueOf(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}
