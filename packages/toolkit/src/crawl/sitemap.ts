import { decodeEntities } from "../html/strip-tags.ts";

/** A sitemap (sitemaps.org): addresses of pages, or of further sitemaps. */
export interface Sitemap {
  readonly type: "pages" | "sitemaps";
  readonly urls: readonly string[];
}

const mostUrls = 5_000;

/** Parses a sitemap, in XML or as a text with an address in each line. */
export function parseSitemap(text: string): Sitemap {
  const isIndex = /<sitemapindex[\s>]/i.test(text.slice(0, 2_000));
  const urls: string[] = [];
  for (const [, url = ""] of text.matchAll(/<loc>([^<]{1,4000})<\/loc>/gi)) {
    if (urls.length === mostUrls) break;
    urls.push(decodeEntities(url).trim());
  }
  if (urls.length > 0 || text.trimStart().startsWith("<"))
    return { type: isIndex ? "sitemaps" : "pages", urls };
  const lines = text.split("\n", 4 * mostUrls).map((line) => line.trim());
  const found = lines.filter((line) => /^https?:\/\//.test(line));
  return { type: "pages", urls: found.slice(0, mostUrls) };
}
