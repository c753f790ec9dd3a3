/** Returns whether a text may be a feed, by its type and its beginning. */
export function mayBeFeed(text: string, contentType: string): boolean {
  if (/(?:rss|atom|rdf|feed)\+(?:xml|json)/i.test(contentType)) return true;
  const beginning = text.slice(0, 2_000);
  return (
    /<(?:rss|feed|rdf:RDF)[\s>]/i.test(beginning) || beginning.includes("jsonfeed.org/version/")
  );
}
