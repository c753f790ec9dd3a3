import type { MissingNeed } from "@capstan/core";
import { bocha } from "./providers/bocha.ts";
import { brave } from "./providers/brave.ts";
import { exa } from "./providers/exa.ts";
import { google } from "./providers/google.ts";
import { searxng } from "./providers/searxng.ts";
import { tavily } from "./providers/tavily.ts";
import {
  type SearchProvider,
  type SearchService,
  searchServices,
} from "./providers/search-provider.ts";

/** The service of `WebSearch`. */
export interface WebSearchOptions {
  readonly service: SearchService;
  /** The key of the service. Never shown. @default none */
  readonly key?: string;
  /** @default the service's own; SearXNG has none */
  readonly url?: string;
  /** The id of the search engine (`cx`). Required by Google. */
  readonly engine?: string;
}

const providers: { readonly [service in SearchService]: SearchProvider } = {
  tavily,
  brave,
  exa,
  bocha,
  google,
  searxng,
};

/** Returns the description of a service. */
export function searchProvider(service: SearchService): SearchProvider {
  return providers[service];
}

/**
 * Returns the environment variable with the key of a service; `undefined` if it needs none.
 *
 * @example searchKeyVariable("tavily") // "TAVILY_API_KEY"
 */
export function searchKeyVariable(service: SearchService): string | undefined {
  return providers[service].keyVariable;
}

/** Returns the setup hint for missing options, or `undefined` if the options are complete. */
export function missingForSearch(options: WebSearchOptions | undefined): MissingNeed | undefined {
  if (options === undefined) {
    const keys = searchServices.flatMap((service) =>
      service === "google" ? [] : (searchKeyVariable(service) ?? []),
    );
    return {
      needs: "a search service",
      fix: `Set ${keys.slice(0, -1).join(", ")} or ${keys.at(-1)}, or web.search.url to the address of a SearXNG instance.`,
    };
  }
  const { title, keyVariable, url } = providers[options.service];
  if (keyVariable !== undefined && !options.key)
    return { needs: `a key for ${title}`, fix: `Set ${keyVariable}.` };
  if (url === undefined && options.url === undefined)
    return { needs: `the address of ${title}`, fix: "Set web.search.url." };
  if (options.service === "google" && options.engine === undefined)
    return { needs: "the id of a Google search engine", fix: "Set web.search.engine." };
  return undefined;
}
