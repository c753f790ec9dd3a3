import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";
import { queryWithDomains } from "./search-query.ts";

const reply = z.object({
  // Absent if there are no results.
  items: z
    .array(
      z.object({ title: z.string().nullish(), link: z.string(), snippet: z.string().nullish() }),
    )
    .nullish(),
});

const failed = z.object({
  error: z.object({
    status: z.string().nullish(),
    message: z.string().nullish(),
    details: z.array(z.object({ reason: z.string().nullish() })).nullish(),
  }),
});

/**
 * Google's Programmable Search, which is closed to new customers.
 *
 * @see https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
 */
export const google: SearchProvider = {
  service: "google",
  title: "Google Programmable Search",
  url: "https://www.googleapis.com",
  keyVariable: "GOOGLE_SEARCH_API_KEY",
  mostResults: 10,
  // Google returns at most 100 results for a query.
  lastPage: 10,
  takes: ["page", "freshness", "language", "country"],
  request: (query, { key, engine }) => ({
    path: "/customsearch/v1",
    search: {
      key,
      cx: engine,
      q: queryWithDomains(query),
      num: String(query.count),
      start: String((query.page - 1) * query.count + 1),
      ...(query.freshness !== undefined && { dateRestrict: `${query.freshness.charAt(0)}1` }),
      ...(query.language !== undefined && { lr: `lang_${query.language}` }),
      ...(query.country !== undefined && { gl: query.country.toLowerCase() }),
    },
  }),
  read: (received) => ({
    hits: (reply.parse(received).items ?? []).map(({ title, link, snippet }) => ({
      title: title ?? "",
      url: link,
      snippet: snippet ?? "",
    })),
  }),
  kindOf(_status, received) {
    const error = failed.safeParse(received).data?.error;
    if (error?.status === "RESOURCE_EXHAUSTED") return "quota";
    const isKey = error?.details?.some(({ reason }) => reason === "API_KEY_INVALID") === true;
    return isKey ? "key" : undefined;
  },
};
