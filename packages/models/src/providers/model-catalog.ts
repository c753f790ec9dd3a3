import type { Clock, Model } from "@capstan/core";
import {
  type ModelCatalog,
  type ModelEntry,
  systemClock,
  type TokenPrices,
  untilAborted,
} from "@capstan/core/host";
import { createOfflineModel, offlineModelId } from "../offline/offline-model.ts";
import { configuredProviders, type Environment, ollamaProvider } from "./configured-providers.ts";
import { defaultModel, firstListed, offlineEntry } from "./default-model.ts";
import { createLanguageModels, type LanguageModels } from "./language-models.ts";
import { listModels } from "./list-models.ts";
import type { Provider } from "./request/provider.ts";
import type * as ProviderModels from "./provider-model.ts";

/** Options of a model catalog. */
export interface ModelCatalogOptions {
  /** The environment variables with keys and URLs, usually `process.env`. */
  readonly environment: Environment;
  /** The configured default model, as `provider/model`. */
  readonly defaultModel?: string;
  /**
   * The prices of models, keyed by `provider/model`, or by `provider/*` for the other models of a
   * provider.
   */
  readonly prices?: { readonly [model: string]: TokenPrices };
  /** The ids of the providers whose variables come from the settings of the page. @default none */
  readonly stored?: readonly string[];
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** @default systemClock */
  readonly clock?: Clock;
  /**
   * A request fails after this many milliseconds without data from the provider. @default 120000
   */
  readonly silenceMs?: number;
}

/**
 * The lifetime of a provider's cached list, and the time limit of a request for it, in
 * milliseconds.
 */
const listHoldsMs = 60_000;
const listTimeoutMs = 2_000;
const embeddingLimitMs = 120_000;

interface Source {
  readonly provider: Provider;
  readonly languageModels: LanguageModels;
  listed: { readonly at: number; readonly models: Promise<readonly ModelEntry[]> } | undefined;
}

/**
 * Creates a catalog of the models that an environment configures, and the offline model.
 *
 * @throws CapstanError `invalid_configuration` if a URL or the default model is invalid
 * @example const catalog = createModelCatalog({ environment: process.env });
 */
export function createModelCatalog(options: ModelCatalogOptions): ModelCatalog {
  const { environment, fetch, clock = systemClock, silenceMs, prices = {} } = options;
  const configured = configuredProviders(environment, options.stored);
  const ollama = ollamaProvider(environment);
  const sources = [...configured, ollama].map((provider): Source => ({
    provider,
    languageModels: createLanguageModels(provider, fetch),
    listed: undefined,
  }));
  const standard = defaultModel(configured, ollama, options.defaultModel);
  // Caches the promise, because each `import()` of a loaded module takes 50 µs.
  let loading: Promise<typeof ProviderModels> | undefined;
  const offline = createOfflineModel();

  /** Returns the models of a provider, or an empty list if it does not answer. */
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

  async function providerModel(source: Source, name: string): Promise<Model> {
    loading ??= import("./provider-model.ts");
    const { createProviderModel } = await loading;
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

  /**
   * Returns the first listed name. Servers that list no models usually serve one model and ignore
   * the name.
   */
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

  // The request for a list is shared. It continues if one caller stops waiting.
  return {
    default: standard,
    find,
    list: (signal) => untilAborted(list(), signal),
    async embed(request, signal) {
      const { requestEmbeddings } = await import("./embeddings.ts");
      return requestEmbeddings(request, signal, {
        providers: [...configured, ollama],
        fetch: fetch ?? globalThis.fetch,
        clock,
        limitMs: silenceMs ?? embeddingLimitMs,
      });
    },
  };
}

/**
 * Returns an own property, because the name comes from a request and may be that of an inherited
 * property.
 */
function ownValue<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
