import type { Clock, ToolContext } from "@capstan/core";
import { NetworkError } from "@capstan/sandbox";
import type { PageRequest, PageSource } from "../pages/page-source.ts";
import type { WebPage } from "../pages/read-page.ts";
import { onSite } from "./on-site.ts";
import { type Pace, pacer } from "./pacer.ts";
import { type SiteRules, siteRules } from "./site-rules.ts";
import { sitemapPages } from "./sitemap-pages.ts";

/** The pages to crawl. */
export interface CrawlOptions {
  readonly start: URL;
  readonly maxPages: number;
  /** The maximum number of links from the first page to a page. */
  readonly depth: number;
  /** A prefix that the paths of all pages except the first must have. @default none */
  readonly path?: string | undefined;
  /** Whether to start with the pages of the site's sitemap, too. */
  readonly sitemap: boolean;
}

/** The access to pages. */
export interface CrawlAccess {
  readonly source: PageSource;
  readonly clock: Clock;
  /** The name by which `robots.txt` names this robot. */
  readonly robot: string;
}

/** A page of a site. */
export interface CrawledPage {
  readonly url: string;
  readonly title?: string;
  /** The number of links from the start. */
  readonly depth: number;
  readonly text: string;
  readonly note?: string;
}

/** A page that could not be read. */
export interface FailedPage {
  readonly url: string;
  readonly code: string;
  readonly message: string;
}

/** The pages of a site. */
export interface Crawl {
  readonly site: string;
  readonly pages: readonly CrawledPage[];
  /** The pages that could not be read, at most 50. */
  readonly failed: readonly FailedPage[];
  /** The pages that the site excludes with its `robots.txt`, at most 50. */
  readonly excluded: readonly string[];
  /** The number of pages that were found but not read. */
  readonly left: number;
  /** The limit that ended the crawl. Absent if all pages that were found were read. */
  readonly stoppedBy?: "pages" | "time" | "size" | "failures";
}

/** The time limit of a crawl in milliseconds. */
export const crawlMs = 240_000;
/** The pause between two requests, if the site does not ask for a longer one. */
const shortestDelayMs = 200;
const longestText = 100_000;
const longestCrawl = 1_000_000;
const longestList = 50;
const mostFound = 5_000;
const longestAddress = 1_000;

/** Addresses of files that are not pages. */
const notPages =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|css|m?js|map|json|xml|zip|gz|tgz|bz2|xz|7z|rar|exe|dmg|iso|deb|rpm|mp[34]|m4[av]|webm|ogg|wav|avi|mov|woff2?|ttf|eot)$/i;

interface FoundPage {
  readonly url: URL;
  readonly depth: number;
}

/** The state of a crawl. */
interface Progress {
  readonly found: Set<string>;
  readonly waiting: FoundPage[];
  readonly pages: CrawledPage[];
  readonly failed: FailedPage[];
  readonly excluded: string[];
  /** The number of characters of all pages. */
  size: number;
  requests: number;
}

/**
 * Reads the pages of a site one after another, following its links. Checks each address in the same
 * way as the address of a single page, and obeys the site's `robots.txt`.
 *
 * @throws NetworkError if the first page cannot be read, or if `robots.txt` excludes it
 */
export async function crawlSite(
  options: CrawlOptions,
  access: CrawlAccess,
  context: ToolContext,
): Promise<Crawl> {
  const { start, maxPages } = options;
  const { clock, source, robot } = access;
  const { output, signal } = context;
  // Progress is reported for each page, not for each request.
  const quiet = { ...context, output: { ...output, progress: () => {} } };
  const tools = {
    source,
    context: quiet,
    rules: siteRules(source, robot, quiet),
    pace: pacer(clock, signal),
  };
  const until = clock.monotonic() + crawlMs;
  const crawl: Progress = {
    found: new Set(),
    waiting: [],
    pages: [],
    failed: [],
    excluded: [],
    size: 0,
    requests: 0,
  };
  addPage(crawl, start, 0);
  let stoppedBy: Crawl["stoppedBy"];
  for (let next = crawl.waiting[0]; next !== undefined; next = crawl.waiting[0]) {
    const { delayMs } = await tools.rules(next.url);
    const startsAt = clock.monotonic() + (crawl.requests === 0 ? 0 : delayMs);
    stoppedBy = limitOf(crawl, maxPages) ?? (startsAt > until ? "time" : undefined);
    if (stoppedBy !== undefined) break;
    crawl.waiting.shift();
    const done = crawl.pages.length;
    output.progress({ message: `Page ${done + 1}: ${next.url.pathname}`, done, total: maxPages });
    try {
      await visit(next, crawl, options, tools);
    } catch (error) {
      if (!(error instanceof NetworkError) || next.url === start) throw error;
      const { code, message } = error.data;
      if (code === "robots_excluded") crawl.excluded.push(next.url.href);
      else crawl.failed.push({ url: next.url.href, code, message });
    }
  }
  return {
    site: start.host,
    pages: crawl.pages,
    failed: crawl.failed.slice(0, longestList),
    excluded: crawl.excluded.slice(0, longestList),
    left: crawl.waiting.length,
    ...(stoppedBy !== undefined && { stoppedBy }),
  };
}

function limitOf(
  { pages, size, requests }: Progress,
  maxPages: number,
): Crawl["stoppedBy"] | undefined {
  if (pages.length >= maxPages) return "pages";
  if (size >= longestCrawl) return "size";
  return requests >= 2 * maxPages + 10 ? "failures" : undefined;
}

function addPage({ found, waiting }: Progress, url: URL, depth: number): void {
  if (found.has(url.href) || found.size >= mostFound) return;
  found.add(url.href);
  waiting.push({ url, depth });
}

interface CrawlTools {
  readonly source: PageSource;
  readonly context: PageRequest["context"];
  readonly rules: SiteRules;
  readonly pace: Pace;
}

/** Reads a page, and queues the pages to which it links. @throws NetworkError */
async function visit(
  { url, depth }: FoundPage,
  crawl: Progress,
  options: CrawlOptions,
  { source, context, rules, pace }: CrawlTools,
): Promise<void> {
  const { start, sitemap } = options;
  const { allows, delayMs, sitemaps } = await rules(url);
  if (!allows(url)) throw excludedPage(url);
  const distance = Math.max(shortestDelayMs, delayMs);
  await pace(distance);
  crawl.requests++;
  const request = { url, context, checkAddress: checkWith(rules) };
  const page = await source.read(request, { part: "article", listLinks: true });
  // The crawl already has the page to which this one redirects.
  if (page.url !== url.href && crawl.found.has(page.url)) return;
  crawl.found.add(page.url);
  const { text, title, links = [] } = page;
  crawl.size += Math.min(text.length, longestText);
  crawl.pages.push({
    url: page.url,
    ...(title !== undefined && { title }),
    depth,
    text: text.slice(0, longestText).toWellFormed(),
    ...noteOf(page),
  });
  const add = (target: URL, level: number) => {
    if (isWanted(target, options)) addPage(crawl, target, level);
  };
  if (url === start && sitemap) {
    const access = { source, context, pace, delayMs: distance, sitemaps };
    for (const each of await sitemapPages(start, access)) add(each, 0);
  }
  if (depth === options.depth) return;
  for (const link of links) {
    const target = onSite(link, start);
    if (target !== undefined) add(target, depth + 1);
  }
}

function noteOf({ text, note }: WebPage): { readonly note?: string } {
  const cut =
    text.length > longestText ? `The first ${longestText} of ${text.length} characters.` : "";
  const notes = [note ?? "", cut].filter(Boolean).join(" ");
  return notes === "" ? {} : { note: notes };
}

function excludedPage(url: URL): NetworkError {
  return new NetworkError({
    code: "robots_excluded",
    message: `The robots.txt of ${url.host} excludes ${url.pathname}, so it is not crawled. If the user asks for this page, read it with FetchWebPage.`,
  });
}

function checkWith(rules: SiteRules): (url: URL) => Promise<void> {
  return async (url) => {
    const { allows } = await rules(url);
    if (!allows(url)) throw excludedPage(url);
  };
}

function isWanted({ href, pathname }: URL, { path = "/" }: CrawlOptions): boolean {
  return href.length <= longestAddress && pathname.startsWith(path) && !notPages.test(pathname);
}
