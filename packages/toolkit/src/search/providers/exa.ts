import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";
import { firstDay } from "./search-query.ts";

const reply = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      publishedDate: z.string().nullish(),
      highlights: z.array(z.string()).nullish(),
      text: z.string().nullish(),
    }),
  ),
});

/** Exa. @see https://docs.exa.ai/reference/search */
export const exa: SearchProvider = {
  service: "exa",
  title: "Exa",
  url: "https://api.exa.ai",
  keyVariable: "EXA_API_KEY",
  mostResults: 100,
  takes: ["freshness", "country"],
  request: ({ query, count, freshness, country, domains, excludedDomains }, { key, now }) => ({
    path: "/search",
    headers: { "x-api-key": key },
    body: {
      query,
      numResults: count,
      contents: { highlights: true },
      ...(freshness !== undefined && { startPublishedDate: firstDay(freshness, now) }),
      ...(country !== undefined && { userLocation: country }),
      ...(domains.length > 0 && { includeDomains: domains }),
      ...(excludedDomains.length > 0 && { excludeDomains: excludedDomains }),
    },
  }),
  read: (received) => ({
    hits: reply
      .parse(received)
      .results.map(({ title, url, publishedDate: published, highlights, text }) => ({
        title: title ?? "",
        url,
        snippet: highlights?.join(" … ") ?? text ?? "",
        ...(published && { published }),
      })),
  }),
};
