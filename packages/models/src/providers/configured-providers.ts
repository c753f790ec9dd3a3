import { baseUrl, ollamaUrl } from "./base-url.ts";
import type { Provider } from "./request/provider.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the providers that an environment configures, in order of preference: a custom URL,
 * OpenAI, Anthropic, Google. The first one is the default.
 *
 * @param stored the ids of those whose variables come from the settings of the page
 * @throws CapstanError if a URL is invalid
 */
export function configuredProviders(
  environment: Environment,
  stored: readonly string[] = [],
): readonly Provider[] {
  return [
    customProvider(environment),
    ...vendors.map((vendor) => vendorProvider(environment, vendor)),
  ]
    .filter((provider) => provider !== undefined)
    .map((provider) =>
      stored.includes(provider.id)
        ? { ...provider, isStored: true, reason: "set in the settings of the page" }
        : provider,
    );
}

/**
 * Returns the provider of a local Ollama. Its models are listed if it answers; it is never the
 * default.
 */
export function ollamaProvider(environment: Environment): Provider {
  const url = ollamaUrl(environment["OLLAMA_HOST"]);
  return {
    id: "ollama",
    title: "Ollama",
    wire: "openai-compatible",
    url: `${url}/v1`,
    key: undefined,
    keyVariable: "OLLAMA_HOST",
    urlVariable: "OLLAMA_HOST",
    defaultModel: undefined,
    reason: `Ollama answers at ${url}`,
  };
}

function customProvider(environment: Environment): Provider | undefined {
  const text = setting(environment, "CAPSTAN_MODEL_URL");
  if (text === undefined) return undefined;
  const url = baseUrl(text, "CAPSTAN_MODEL_URL");
  return {
    id: "custom",
    title: new URL(url).host,
    wire: "openai-compatible",
    url,
    key: setting(environment, "CAPSTAN_MODEL_KEY"),
    keyVariable: "CAPSTAN_MODEL_KEY",
    urlVariable: "CAPSTAN_MODEL_URL",
    defaultModel: setting(environment, "CAPSTAN_MODEL"),
    reason: "CAPSTAN_MODEL_URL is set",
  };
}

interface Vendor {
  readonly id: "openai" | "anthropic" | "google";
  readonly title: string;
  readonly keyVariable: string;
  /** The environment variable of the URL. Absent if the URL cannot be changed. */
  readonly urlVariable?: string;
  readonly url: string;
  readonly defaultModel: string;
}

const vendors: readonly Vendor[] = [
  {
    id: "openai",
    title: "OpenAI",
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    url: "https://api.openai.com/v1",
    defaultModel: "gpt-5.5",
  },
  {
    id: "anthropic",
    title: "Anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
    url: "https://api.anthropic.com/v1",
    defaultModel: "claude-sonnet-5",
  },
  {
    id: "google",
    title: "Google",
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    url: "https://generativelanguage.googleapis.com/v1beta",
    defaultModel: "gemini-3.8-flash",
  },
];

/**
 * Returns a model that can see images, `provider/model`: the default model of the first configured
 * vendor. It is `undefined` if no key of a vendor is set, because other servers may lack such models.
 */
export function visionModel(environment: Environment): string | undefined {
  const vendor = vendors.find(
    ({ keyVariable, urlVariable, url }) =>
      setting(environment, keyVariable) !== undefined &&
      [undefined, url].includes(urlVariable && setting(environment, urlVariable)),
  );
  return vendor && `${vendor.id}/${vendor.defaultModel}`;
}

/** The providers that an environment can configure, in order of preference. */
export const providerIds = ["custom", "openai", "anthropic", "google"] as const;

/** A provider that an environment can configure. */
interface KnownProvider {
  readonly title: string;
  /** The environment variable that configures it. */
  readonly variable: string;
}

/** Returns the provider that an id names, whether it is configured or not. */
export function knownProvider(id: string): KnownProvider | undefined {
  if (id === "custom")
    return { title: "The server of CAPSTAN_MODEL_URL", variable: "CAPSTAN_MODEL_URL" };
  const vendor = vendors.find((each) => each.id === id);
  return vendor && { title: vendor.title, variable: vendor.keyVariable };
}

function vendorProvider(environment: Environment, vendor: Vendor): Provider | undefined {
  const { id, keyVariable, urlVariable = keyVariable } = vendor;
  const key = setting(environment, keyVariable);
  if (key === undefined) return undefined;
  const given = vendor.urlVariable && setting(environment, vendor.urlVariable);
  const url = given === undefined ? vendor.url : baseUrl(given, urlVariable);
  const wire = id === "openai" ? openaiWire(url) : id;
  return { ...vendor, wire, url, key, urlVariable, reason: `${keyVariable} is set` };
}

/**
 * Returns the wire protocol for a URL: Responses for OpenAI, and Chat Completions for other hosts,
 * because gateways may not support Responses.
 */
function openaiWire(url: string): Provider["wire"] {
  return /(?:^|\.)openai\.com$/.test(new URL(url).hostname) ? "openai-responses" : "openai-chat";
}

/**
 * Returns a variable's trimmed value, or `undefined` if it is blank. A value that was read from a
 * file may end with a line break.
 */
function setting(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}
