import { NetworkError } from "@capstan/sandbox";
import { decodeBody } from "../pages/decode-body.ts";
import type { PageRequest, PageSource } from "../pages/page-source.ts";
import { onSite } from "./on-site.ts";
import type { Pace } from "./pacer.ts";
import { parseSitemap } from "./sitemap.ts";

const mostSitemaps = 10;

/** The access to the sitemaps of a site. */
export interface SitemapAccess {
  readonly source: PageSource;
  readonly context: PageRequest["context"];
  readonly pace: Pace;
  readonly delayMs: number;
  /** The addresses in the site's `robots.txt`. */
  readonly sitemaps: readonly string[];
}

/**
 * Returns the pages of the sitemaps that a site's `robots.txt` names, or else of `/sitemap.xml`.
 * Skips sitemaps of other sites, and sitemaps that cannot be read.
 */
export async function sitemapPages(
  start: URL,
  { source, context, pace, delayMs, sitemaps }: SitemapAccess,
): Promise<readonly URL[]> {
  const open = sitemaps.length > 0 ? [...sitemaps] : [new URL("/sitemap.xml", start).href];
  const read = new Set<string>();
  const pages: URL[] = [];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const url = onSite(URL.parse(next, start)?.href ?? "", start);
    if (url === undefined || read.has(url.href) || read.size === mostSitemaps) continue;
    read.add(url.href);
    try {
      await pace(delayMs);
      const { body, contentType } = await source.fetch({ url, context });
      const { type, urls } = parseSitemap(decodeBody(body, contentType));
      if (type === "sitemaps") open.push(...urls);
      else pages.push(...urls.flatMap((each) => onSite(each, start) ?? []));
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
    }
  }
  return pages;
}
