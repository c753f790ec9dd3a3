import type { Clock, Model } from "@capstan/core";
import {
  type ModelCatalog,
  type ModelEntry,
  systemClock,
  type TokenPrices,
} from "@capstan/core/host";
import { createOfflineModel, offlineModelId } from "../offline/offline-model.ts";
import { configuredProviders, type Environment, ollamaProvider } from "./configured-providers.ts";
import { defaultModel, firstListed, offlineEntry } from "./default-model.ts";
import { createLanguageModels, type LanguageModels } from "./language-models.ts";
import { listModels } from "./list-models.ts";
import type { Provider } from "./request/provider.ts";
import { createProviderModel } from "./provider-model.ts";
import { untilAborted } from "./stream/read-parts.ts";

/** The environment, default model and prices of a model catalog. */
export interface ModelCatalogOptions {
  /** Where keys and addresses are; `process.env`. */
  readonly environment: Environment;
  /** `provider/model`, as the configuration names it. */
  readonly defaultModel?: string;
  /** The prices of models, by `provider/model`, or by `provider/*` for all others of a provider. */
  readonly prices?: { readonly [model: string]: TokenPrices };
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Milliseconds without a sign of life after which a model is given up. @default 120000 */
  readonly silenceMs?: number;
}

/** Milliseconds for which a provider's list holds, and in which it must answer. */
const listHoldsMs = 60_000;
const listTimeoutMs = 2_000;

interface Source {
  readonly provider: Provider;
  readonly languageModels: LanguageModels;
  listed: { readonly at: number; readonly models: Promise<readonly ModelEntry[]> } | undefined;
}

/**
 * The models that an environment gives access to, the offline model among them.
 *
 * @throws CapstanError `invalid_configuration` if a URL or the default model is invalid
 * @example const catalog = createModelCatalog({ environment: process.env });
 */
export function createModelCatalog(options: ModelCatalogOptions): ModelCatalog {
  const { environment, fetch, clock = systemClock, silenceMs, prices = {} } = options;
  const configured = configuredProviders(environment);
  const ollama = ollamaProvider(environment);
  const sources = [...configured, ollama].map((provider): Source => ({
    provider,
    languageModels: createLanguageModels(provider, fetch),
    listed: undefined,
  }));
  const standard = defaultModel(configured, ollama, options.defaultModel);
  const offline = createOfflineModel();

  /** Returns a source's models; empty if it does not answer. */
  function modelsOf(source: Source): Promise<readonly ModelEntry[]> {
    if (source.listed !== undefined && clock.monotonic() - source.listed.at < listHoldsMs)
      return source.listed.models;
    const models = listModels(
      source.provider,
      fetch ?? globalThis.fetch,
      AbortSignal.timeout(listTimeoutMs),
    ).catch(() => []);
    source.listed = { at: clock.monotonic(), models };
    return models;
  }

  async function list(): Promise<readonly ModelEntry[]> {
    const listed = (await Promise.all(sources.map(modelsOf))).flat();
    const all = [standard, ...listed, offlineEntry];
    return all.filter(({ id }, index) => all.findIndex((other) => other.id === id) === index);
  }

  function providerModel(source: Source, name: string): Model {
    const languageModel = async () =>
      source.languageModels(name === firstListed ? await firstNameOf(source) : name);
    const { id } = source.provider;
    const known = ownValue(prices, `${id}/${name}`) ?? ownValue(prices, `${id}/*`);
    return createProviderModel({
      ...(known !== undefined && { prices: known }),
      provider: source.provider,
      modelName: name,
      languageModel,
      clock,
      ...(silenceMs !== undefined && { silenceMs }),
    });
  }

  /** A server that lists nothing mostly serves one model and does not look at the name. */
  async function firstNameOf(source: Source): Promise<string> {
    const [first] = await modelsOf(source);
    return first?.id.slice(source.provider.id.length + 1) ?? firstListed;
  }

  async function find(id: string): Promise<Model | undefined> {
    if (id === offlineModelId) return offline;
    const slash = id.indexOf("/");
    const source = sources.find(({ provider }) => provider.id === id.slice(0, Math.max(0, slash)));
    if (source !== undefined && slash < id.length - 1)
      return providerModel(source, id.slice(slash + 1));
    const entry = (await list()).find(
      (candidate) => candidate.id.slice(candidate.id.indexOf("/") + 1) === id,
    );
    return entry === undefined ? undefined : find(entry.id);
  }

  // A shared request continues when one of its callers stops waiting.
  return { default: standard, find, list: (signal) => untilAborted(list(), signal) };
}

/** Names come from requests: only what the configuration itself says counts. */
function ownValue<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
