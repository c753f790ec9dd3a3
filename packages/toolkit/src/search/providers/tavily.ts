import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";

const reply = z.object({
  answer: z.string().nullish(),
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      published_date: z.string().nullish(),
    }),
  ),
});

/**
 * Tavily takes a country only by its English name. The names are loaded on demand, which takes 16
 * ms.
 */
function countryName(country: string): string | undefined {
  return new Intl.DisplayNames(["en"], { type: "region" }).of(country)?.toLowerCase();
}

/** Tavily. @see https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: SearchProvider = {
  service: "tavily",
  title: "Tavily",
  url: "https://api.tavily.com",
  keyVariable: "TAVILY_API_KEY",
  mostResults: 20,
  takes: ["freshness", "country"],
  request: ({ query, count, freshness, country, domains, excludedDomains }, { key }) => ({
    path: "/search",
    headers: { authorization: `Bearer ${key}` },
    body: {
      query,
      max_results: count,
      ...(freshness !== undefined && { time_range: freshness }),
      ...(country !== undefined && { country: countryName(country) }),
      ...(domains.length > 0 && { include_domains: domains }),
      ...(excludedDomains.length > 0 && { exclude_domains: excludedDomains }),
    },
  }),
  read(received) {
    const { answer, results } = reply.parse(received);
    return {
      ...(answer && { answer }),
      hits: results.map(({ title, url, content, published_date: published }) => ({
        title: title ?? "",
        url,
        snippet: content ?? "",
        ...(published && { published }),
      })),
    };
  },
  // Tavily's own statuses for the limit of the plan and of pay-as-you-go.
  kindOf: (status) => (status === 432 || status === 433 ? "quota" : undefined),
};
