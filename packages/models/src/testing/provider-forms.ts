import assert from "node:assert/strict";
import type { Model } from "@capstan/core";
import { configuredProviders, type Environment } from "../providers/configured-providers.ts";
import { createLanguageModels } from "../providers/language-models.ts";
import { createProviderModel } from "../providers/provider-model.ts";
import { instantClock } from "./collect-events.ts";

/** The forms of requests to models, each with an environment that selects it. */
export const providerForms = {
  "openai-responses": { environment: { OPENAI_API_KEY: "key" }, modelName: "gpt-5.5" },
  "openai-chat": {
    environment: { OPENAI_API_KEY: "key", OPENAI_BASE_URL: "https://gateway.example.org/v1" },
    modelName: "gpt-5.5",
  },
  "openai-compatible": {
    environment: { CAPSTAN_MODEL_URL: "https://models.example.org/v1" },
    modelName: "llama",
  },
  anthropic: { environment: { ANTHROPIC_API_KEY: "key" }, modelName: "claude-sonnet-5" },
  google: {
    environment: { GOOGLE_GENERATIVE_AI_API_KEY: "key" },
    modelName: "gemini-3.8-flash",
  },
  /**
   * Gemini before version 3 has no signatures, and files follow a result instead of being in it.
   */
  "google-older": {
    environment: { GOOGLE_GENERATIVE_AI_API_KEY: "key" },
    modelName: "gemini-2.5-flash",
  },
} as const satisfies {
  readonly [form: string]: { readonly environment: Environment; readonly modelName: string };
};

export type ProviderForm = keyof typeof providerForms;
export const formNames = Object.keys(providerForms) as ProviderForm[];

/** Creates the environment's default model with this `fetch`, without delays between retries. */
export function modelOf(
  environment: Environment,
  modelName: string,
  fetch: typeof globalThis.fetch,
): Model {
  const [provider] = configuredProviders(environment);
  assert.ok(provider);
  const open = createLanguageModels(provider, fetch);
  return createProviderModel({
    provider,
    modelName,
    languageModel: () => open(modelName),
    clock: instantClock(),
    random: () => 0.5,
  });
}

/** Creates a model of this form with this `fetch`. */
export function modelOfForm(form: ProviderForm, fetch: typeof globalThis.fetch): Model {
  const { environment, modelName } = providerForms[form];
  return modelOf(environment, modelName, fetch);
}
