import { z } from "zod";
import type { SearchProvider } from "./search-provider.ts";
import { queryWithDomains } from "./search-query.ts";

const reply = z.object({
  data: z.object({
    webPages: z
      .object({
        value: z.array(
          z.object({
            name: z.string().nullish(),
            url: z.string(),
            snippet: z.string().nullish(),
            summary: z.string().nullish(),
            datePublished: z.string().nullish(),
            dateLastCrawled: z.string().nullish(),
          }),
        ),
      })
      .nullish(),
  }),
});

const ages = { day: "oneDay", week: "oneWeek", month: "oneMonth", year: "oneYear" } as const;

/** Bocha. @see https://open.bochaai.com */
export const bocha: SearchProvider = {
  service: "bocha",
  title: "Bocha",
  url: "https://api.bochaai.com",
  keyVariable: "BOCHA_API_KEY",
  mostResults: 50,
  takes: ["page", "freshness"],
  request: (query, { key }) => ({
    path: "/v1/web-search",
    headers: { authorization: `Bearer ${key}` },
    body: {
      query: queryWithDomains(query),
      count: query.count,
      page: query.page,
      summary: true,
      freshness: query.freshness === undefined ? "noLimit" : ages[query.freshness],
    },
  }),
  read: (received) => ({
    hits: (reply.parse(received).data.webPages?.value ?? []).map((page) => {
      // Despite its name, this field has the date of publication.
      const published = page.datePublished ?? page.dateLastCrawled;
      return {
        title: page.name ?? "",
        url: page.url,
        snippet: page.summary ?? page.snippet ?? "",
        ...(published && { published }),
      };
    }),
  }),
  kindOf: (status) => (status === 403 ? "quota" : undefined),
};
