import { type Clock, defineTool, type Tool } from "@capstan/core";
import { parseAddress, returnNetworkErrors } from "@capstan/sandbox";
import { z } from "zod";
import { type Crawl, crawlMs, crawlSite } from "../crawl/crawl-site.ts";
import { robotName } from "../crawl/robots.ts";
import type { PageSource } from "../pages/page-source.ts";
import { countOf } from "../text/format-bytes.ts";
import { pagePermission, urlParameter } from "./fetch-web-page.ts";
import { webErrors } from "./web-errors.ts";

const parameters = z.object({
  url: urlParameter.describe("The page to start with; the crawl stays on its site."),
  maxPages: z.int().min(1).max(50).default(10).describe("The maximum number of pages."),
  depth: z.int().min(0).max(5).default(2).describe("The maximum number of links from the start."),
  path: z
    .string()
    .max(500)
    .refine((path) => path.startsWith("/"), { error: "must begin with /" })
    .optional()
    .describe("Only pages whose path begins with this, for example /docs/."),
  sitemap: z.boolean().default(false).describe("Also start with the pages of the site's sitemap."),
});

/** The number of characters of each page that the model sees. */
const excerptLength = 400;

/** `CrawlPages`: reads the pages of a site, following its links. */
export function crawlPages(
  source: PageSource,
  {
    clock,
    userAgent,
    timeoutMs,
  }: {
    readonly clock: Clock;
    readonly userAgent: string;
    readonly timeoutMs: number;
  },
): Tool {
  const access = { source, clock, robot: robotName(userAgent) };
  return defineTool({
    name: "CrawlPages",
    description:
      "Reads several pages of one public site along its links, and returns the beginning of each; the result has the whole texts. Respects robots.txt. FetchWebPage and SearchInWebPage then read these pages without another request.",
    parameters,
    effects: "read",
    examples: [
      {
        title: "Read the guides of a site.",
        args: { url: "https://example.org/guide/", path: "/guide/", maxPages: 20 },
      },
      {
        title: "Start with the sitemap, and follow no links.",
        args: { url: "https://example.org/", sitemap: true, depth: 0 },
      },
    ],
    errors: {
      ...webErrors,
      robots_excluded: "The site's robots.txt excludes the first page.",
      robots_unreachable: "The site's robots.txt cannot be read, so no page may be crawled.",
      unsupported_type: "The address leads to neither a page, a document nor a text.",
      unreadable_document: "The document is corrupt, encrypted or too large to convert.",
    },
    permission: pagePermission,
    timeoutMs: crawlMs + 2 * timeoutMs + 10_000,
    declaredReturnType: {
      type: "{ site, pages: { url, title?, depth, text }[], failed: { url, code, message }[], excluded: string[], left: number }",
    },
    compressArgs: ({ url, maxPages }) => `${url}, ${countOf(maxPages, "page")}`,
    formatForLLM: formatCrawl,
    execute: ({ url, ...options }, context) =>
      returnNetworkErrors(async () =>
        crawlSite({ ...options, start: parseAddress(url) }, access, context),
      ),
  });
}

const limits = {
  pages: "maxPages is reached",
  time: `the time limit of ${crawlMs / 60_000} minutes is reached`,
  size: "the texts have 1,000,000 characters",
  failures: "too many pages failed",
} as const;

function formatCrawl({ site, pages, failed, excluded, left, stoppedBy }: Crawl): string {
  const facts = [
    `${countOf(pages.length, "page")} of ${site}.`,
    ...(stoppedBy === undefined
      ? []
      : [`Stopped because ${limits[stoppedBy]}; ${countOf(left, "page")} found and not read.`]),
    ...(excluded.length === 0
      ? []
      : [`Excluded by robots.txt: ${countOf(excluded.length, "page")}.`]),
  ];
  const read = pages.map(({ url, title, text, note }, at) =>
    [
      `${at + 1}. ${title ?? url}`,
      `   ${url} (${countOf(text.length, "character")})`,
      ...(note === undefined ? [] : [`   [${note}]`]),
      `   ${excerptOf(text)}`,
    ].join("\n"),
  );
  const lost = failed.map(({ url, message }) => `- ${url}: ${message}`);
  return [
    facts.join(" "),
    ...read,
    ...(lost.length === 0 ? [] : [`Not read:\n${lost.join("\n")}`]),
  ].join("\n\n");
}

function excerptOf(text: string): string {
  const line = text
    .slice(0, 2 * excerptLength)
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line === "") return "[no text]";
  return line.length > excerptLength || text.length > 2 * excerptLength
    ? `${line.slice(0, excerptLength).toWellFormed()}…`
    : line;
}
