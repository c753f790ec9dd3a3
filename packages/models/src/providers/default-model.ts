import { CapstanError } from "@capstan/core";
import type { ModelEntry } from "@capstan/core/host";
import { offlineModelId } from "../offline/offline-model.ts";
import { modelEntry } from "./list-models.ts";
import type { Provider } from "./request/provider.ts";

/** A model name that stands for the first model that a custom server lists. */
export const firstListed = "default";

export const offlineEntry: ModelEntry = {
  id: offlineModelId,
  title: "Offline model (no AI)",
  owner: "capstan",
  reason: "always available",
};

const variables =
  "CAPSTAN_MODEL_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY";

/**
 * Returns the default model: the configured model, else the model of the first configured provider,
 * else the offline model.
 *
 * @param named `provider/model`, or only a model name, which selects the first provider
 * @throws CapstanError `invalid_configuration` if no configured provider can serve it
 */
export function defaultModel(
  providers: readonly Provider[],
  ollama: Provider,
  named: string | undefined,
): ModelEntry {
  const [first] = providers;
  if (named !== undefined && named.trim() !== "")
    return namedModel([...providers, ollama], first, named.trim());
  if (first === undefined) return { ...offlineEntry, reason: `none of ${variables} is set` };
  const name = first.defaultModel ?? firstListed;
  return modelEntry(first, name, name === firstListed ? "First listed model" : undefined);
}

function namedModel(
  providers: readonly Provider[],
  first: Provider | undefined,
  named: string,
): ModelEntry {
  const reason = "set in the configuration";
  if (named === offlineModelId) return { ...offlineEntry, reason };
  const [prefix = "", ...rest] = named.split("/");
  const provider = providers.find(({ id }) => id === prefix);
  if (provider !== undefined && rest.join("/") !== "")
    return { ...modelEntry(provider, rest.join("/")), reason };
  const isOtherProvider = /^(?:openai|anthropic|google|custom|capstan)$/.test(prefix);
  // A gateway may have a model named openai/gpt-5.5, because gateways prefix names with vendors.
  if (first !== undefined && (first.id === "custom" || !isOtherProvider))
    return { ...modelEntry(first, named), reason };
  throw new CapstanError({
    code: "invalid_configuration",
    message: `The default model is ${JSON.stringify(named)}, but no configured provider can serve it. Set ${variables}, or choose ${offlineModelId}.`,
  });
}
