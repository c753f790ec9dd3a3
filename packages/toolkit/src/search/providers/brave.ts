import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";
import { queryWithDomains } from "./search-query.ts";

const reply = z.object({
  // Absent if there are no results.
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          description: z.string().nullish(),
          page_age: z.string().nullish(),
          extra_snippets: z.array(z.string()).nullish(),
        }),
      ),
    })
    .nullish(),
});

const failed = z.object({ error: z.object({ code: z.string() }) });

/** Languages whose code differs from ISO 639. */
const ownLanguages: { readonly [language: string]: string } = { ja: "jp", zh: "zh-hans" };

/** Brave Search. @see https://api-dashboard.search.brave.com/app/documentation/web-search/query */
export const brave: SearchProvider = {
  service: "brave",
  title: "Brave Search",
  url: "https://api.search.brave.com",
  keyVariable: "BRAVE_API_KEY",
  mostResults: 20,
  lastPage: 10,
  takes: ["page", "freshness", "language", "country"],
  request: (query, { key }) => ({
    path: "/res/v1/web/search",
    headers: { "x-subscription-token": key },
    search: {
      q: queryWithDomains(query).slice(0, 400),
      count: String(query.count),
      // The offset counts pages, not results.
      offset: String(query.page - 1),
      text_decorations: "false",
      result_filter: "web",
      ...(query.freshness !== undefined && { freshness: `p${query.freshness.charAt(0)}` }),
      ...(query.language !== undefined && {
        search_lang: ownLanguages[query.language] ?? query.language,
      }),
      ...(query.country !== undefined && { country: query.country }),
    },
  }),
  read: (received) => ({
    hits: (reply.parse(received).web?.results ?? []).map((result) => ({
      title: result.title,
      url: result.url,
      snippet: [result.description ?? "", ...(result.extra_snippets ?? [])]
        .filter(Boolean)
        .join(" … "),
      ...(result.page_age && { published: result.page_age }),
    })),
  }),
  // Brave reports a wrong key with the status of a wrong parameter, and a used-up plan with that of
  // too many requests.
  kindOf(_status, received) {
    const { data } = failed.safeParse(received);
    if (data?.error.code === "SUBSCRIPTION_TOKEN_INVALID") return "key";
    return data?.error.code === "QUOTA_LIMITED" ? "quota" : undefined;
  },
};
