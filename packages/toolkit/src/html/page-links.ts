const mostLinks = 2_000;

/**
 * Returns the addresses of a page's links, each once, without fragments. Omits links that are
 * marked `nofollow`, and all links if the page itself is marked so.
 */
export function pageLinks(document: Document): readonly string[] {
  for (const robots of document.querySelectorAll("meta[name]"))
    if (
      /^robots$/i.test(robots.getAttribute("name") ?? "") &&
      /\b(?:nofollow|none)\b/i.test(robots.getAttribute("content") ?? "")
    )
      return [];
  const links = new Set<string>();
  for (const link of document.querySelectorAll("a[href]")) {
    if (links.size === mostLinks) break;
    if (/\bnofollow\b/i.test(link.getAttribute("rel") ?? "")) continue;
    const url = URL.parse(link.getAttribute("href") ?? "");
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    url.hash = "";
    links.add(url.href);
  }
  return [...links];
}
