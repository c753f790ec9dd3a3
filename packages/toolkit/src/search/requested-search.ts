import type { RequestTool } from "@capstan/core";
import type { OptionalParameter, SearchProvider } from "./providers/search-provider.ts";
import type { SearchQuery } from "./providers/search-query.ts";

/** The arguments of a search. */
type SearchArguments = Omit<SearchQuery, "page"> & { readonly page?: number | undefined };

/**
 * Returns the search for a call: its arguments, restricted by the options of the request's tool.
 *
 * The options are those of OpenAI's `web_search`: `filters.allowed_domains` and `blocked_domains`
 * restrict the domains, and `user_location.country` is the default country.
 *
 * @returns the search, and the names of options that the service does not support
 */
export function requestedSearch(
  args: SearchArguments,
  provider: SearchProvider,
  tool: RequestTool | undefined,
): { readonly query: SearchQuery; readonly ignored: readonly string[] } {
  const has = (name: OptionalParameter) => provider.takes.includes(name);
  const filters = tool?.["filters"];
  const allowed = domainsOf(filters, "allowed_domains");
  const blocked = domainsOf(filters, "blocked_domains");
  const { domains, excludedDomains } = args;
  const country = countryOf(tool?.["user_location"]);
  const isWithin = (domain: string) =>
    allowed.some((each) => domain === each || domain.endsWith(`.${each}`));
  const within = allowed.length === 0 ? domains : domains.filter(isWithin);
  return {
    query: {
      ...args,
      page: args.page ?? 1,
      country: args.country ?? (has("country") ? country : undefined),
      // The model can narrow the domains of the request, but cannot search outside them.
      domains: within.length > 0 ? within : allowed.length > 0 ? allowed : domains,
      excludedDomains: [...new Set([...excludedDomains, ...blocked])],
    },
    ignored: country !== undefined && !has("country") ? ["user_location"] : [],
  };
}

function domainsOf(filters: unknown, name: string): readonly string[] {
  const list = fieldsOf(filters)[name];
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

function countryOf(location: unknown): string | undefined {
  const { country } = fieldsOf(location);
  return typeof country === "string" && /^[A-Za-z]{2}$/.test(country)
    ? country.toUpperCase()
    : undefined;
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
