import { CapstanError } from "@capstan/core";
import type { ModelEntry } from "@capstan/core/host";
import { offlineModelId } from "../offline/offline-model.ts";
import { modelEntry } from "./list-models.ts";
import type { Provider } from "./request/provider.ts";

/** Stands for the first model that a custom server lists. */
export const firstListed = "default";

export const offlineEntry: ModelEntry = {
  id: offlineModelId,
  title: "Offline model (no AI)",
  owner: "capstan",
  reason: "always there",
};

const variables =
  "CAPSTAN_MODEL_URL, OPENAI_API_KEY, ANTHROPIC_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY";

/**
 * Returns the default model: the configured one, or that of the first provider that the environment
 * names, or the offline model.
 *
 * @param named `provider/model`, or a bare name, which goes to the first provider
 * @throws CapstanError `invalid_configuration` if no configured provider could have it
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
  return modelEntry(first, name, name === firstListed ? "First model listed" : undefined);
}

function namedModel(
  providers: readonly Provider[],
  first: Provider | undefined,
  named: string,
): ModelEntry {
  const reason = "the configuration names it";
  if (named === offlineModelId) return { ...offlineEntry, reason };
  const [prefix = "", ...rest] = named.split("/");
  const provider = providers.find(({ id }) => id === prefix);
  if (provider !== undefined && rest.join("/") !== "")
    return { ...modelEntry(provider, rest.join("/")), reason };
  const isOtherProvider = /^(?:openai|anthropic|google|custom|capstan)$/.test(prefix);
  // Gateways name their models after vendors: openai/gpt-5.5 may well be one of their own.
  if (first !== undefined && (first.id === "custom" || !isOtherProvider))
    return { ...modelEntry(first, named), reason };
  throw new CapstanError({
    code: "invalid_configuration",
    message: `The default model is ${JSON.stringify(named)}, but nothing is configured that could serve it. Set ${variables}, or choose ${offlineModelId}.`,
  });
}
