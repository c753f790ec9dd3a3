import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";
import { queryWithDomains } from "./search-query.ts";

const reply = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: z.string(),
      content: z.string().nullish(),
      publishedDate: z.string().nullish(),
    }),
  ),
});

/** A SearXNG instance. @see https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchProvider = {
  service: "searxng",
  title: "SearXNG",
  mostResults: 50,
  takes: ["page", "freshness", "language"],
  request: (query) => ({
    path: "/search",
    search: {
      q: queryWithDomains(query),
      format: "json",
      pageno: String(query.page),
      ...(query.freshness !== undefined && { time_range: query.freshness }),
      ...(query.language !== undefined && { language: query.language }),
    },
  }),
  read: (received) => ({
    hits: reply.parse(received).results.map(({ title, url, content, publishedDate }) => ({
      title: title ?? "",
      url,
      snippet: content ?? "",
      ...(publishedDate && { published: publishedDate }),
    })),
  }),
  kindOf: (status) => (status === 403 ? "service" : undefined),
  fixes: {
    403: "The user must add json to search.formats in the settings.yml of the instance.",
  },
};
