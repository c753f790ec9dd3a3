import { baseUrl, ollamaUrl } from "./base-url.ts";
import type { Provider } from "./request/provider.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The providers that an environment names, in the order in which they are the default: an address
 * of one's own, OpenAI, Anthropic, Google.
 *
 * @throws CapstanError where an address is none
 */
export function configuredProviders(environment: Environment): readonly Provider[] {
  return [
    customProvider(environment),
    openai(environment),
    anthropic(environment),
    google(environment),
  ].filter((provider) => provider !== undefined);
}

/** An Ollama, which may or may not answer: offered where it does, never the default. */
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

function openai(environment: Environment): Provider | undefined {
  const key = setting(environment, "OPENAI_API_KEY");
  if (key === undefined) return undefined;
  const url = baseUrl(
    setting(environment, "OPENAI_BASE_URL") ?? "https://api.openai.com/v1",
    "OPENAI_BASE_URL",
  );
  return {
    id: "openai",
    title: "OpenAI",
    // Behind another address stands a gateway, of which only Chat Completions can be expected.
    wire: /(?:^|\.)openai\.com$/.test(new URL(url).hostname) ? "openai-responses" : "openai-chat",
    url,
    key,
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    defaultModel: "gpt-5.5",
    reason: "OPENAI_API_KEY is set",
  };
}

function anthropic(environment: Environment): Provider | undefined {
  const key = setting(environment, "ANTHROPIC_API_KEY");
  if (key === undefined) return undefined;
  return {
    id: "anthropic",
    title: "Anthropic",
    wire: "anthropic",
    url: baseUrl(
      setting(environment, "ANTHROPIC_BASE_URL") ?? "https://api.anthropic.com/v1",
      "ANTHROPIC_BASE_URL",
    ),
    key,
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-sonnet-5",
    reason: "ANTHROPIC_API_KEY is set",
  };
}

function google(environment: Environment): Provider | undefined {
  const key = setting(environment, "GOOGLE_GENERATIVE_AI_API_KEY");
  if (key === undefined) return undefined;
  return {
    id: "google",
    title: "Google",
    wire: "google",
    url: "https://generativelanguage.googleapis.com/v1beta",
    key,
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    urlVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    defaultModel: "gemini-3.8-flash",
    reason: "GOOGLE_GENERATIVE_AI_API_KEY is set",
  };
}

/** Blank is unset; the line break that a file's content brings along is no part of a key. */
function setting(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}
