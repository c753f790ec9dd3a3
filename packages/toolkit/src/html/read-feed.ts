import { DOMParser } from "linkedom";
import { clean } from "./parse-page.ts";
import { stripTags } from "./strip-tags.ts";

/** An entry of a feed. */
export interface FeedEntry {
  readonly title: string;
  readonly url?: string;
  /** ISO 8601 if the feed's date can be read. */
  readonly published?: string;
  readonly author?: string;
  /** Without markup, at most 600 characters. */
  readonly summary?: string;
}

/** A feed of RSS, Atom or JSON Feed. */
export interface Feed {
  readonly title?: string;
  readonly description?: string;
  /** At most 100, in the order of the feed. */
  readonly entries: readonly FeedEntry[];
  /** The number of entries of the whole feed. */
  readonly total: number;
}

const mostEntries = 100;
const longestSummary = 600;
const maxElements = 50_000;

/**
 * Parses a feed; returns `undefined` if the text is not one. Run it in a worker.
 *
 * @param url the address of the feed, for relative links
 */
export function readFeed(text: string, url: string): Feed | undefined {
  return text.trimStart().startsWith("{") ? readJsonFeed(text, url) : readXmlFeed(text, url);
}

function readXmlFeed(text: string, url: string): Feed | undefined {
  const xml = beginning(text);
  const document = new DOMParser().parseFromString(xml, "text/xml") as unknown as Document;
  const root = document.documentElement as Element | null;
  const name = root?.localName.toLowerCase() ?? "";
  if (root === null || !/^(?:rss|feed|rdf|rdf:rdf)$/.test(name)) return undefined;
  const channel = name === "feed" ? root : (childOf(root, "channel") ?? root);
  const items = [...document.getElementsByTagName(name === "feed" ? "entry" : "item")];
  const read = items.slice(0, mostEntries).map((item) => xmlEntry(item, url));
  return {
    ...defined("title", plain(textOf(channel, "title"))),
    ...defined("description", plain(textOf(channel, "description", "subtitle"))),
    entries: read,
    total: items.length,
  };
}

function beginning(text: string): string {
  let count = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1))
    if (++count > 2 * maxElements) return text.slice(0, at);
  return text;
}

function xmlEntry(item: Element, base: string): FeedEntry {
  const author = childOf(item, "author");
  return {
    title: plain(textOf(item, "title")) ?? "",
    ...defined("url", absolute(linkOf(item), base)),
    ...defined("published", dateOf(textOf(item, "pubDate", "published", "updated", "dc:date"))),
    ...defined(
      "author",
      plain(
        (author && (textOf(author, "name") ?? author.textContent)) ?? textOf(item, "dc:creator"),
      ),
    ),
    ...defined(
      "summary",
      plain(textOf(item, "description", "summary", "content:encoded", "content")),
    ),
  };
}

/** Returns the address of an entry: Atom's `href`, the text of RSS, or a permanent id. */
function linkOf(item: Element): string | undefined {
  const links = [...item.children].filter(({ localName }) => localName.toLowerCase() === "link");
  const alternate = links.find((link) => (link.getAttribute("rel") ?? "alternate") === "alternate");
  const written = clean(alternate?.getAttribute("href")) ?? clean(alternate?.textContent);
  if (written !== undefined) return written;
  const id = childOf(item, "guid");
  return id?.getAttribute("isPermaLink") === "false" ? undefined : clean(id?.textContent);
}

function childOf(parent: Element, name: string): Element | undefined {
  return [...parent.children].find(({ tagName }) => tagName.toLowerCase() === name.toLowerCase());
}

function textOf(parent: Element, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = childOf(parent, name)?.textContent ?? "";
    if (text.trim() !== "") return text;
  }
  return undefined;
}

function readJsonFeed(text: string, url: string): Feed | undefined {
  const feed = fieldsOf(parseJson(text));
  const { items } = feed;
  if (!Array.isArray(items) || !textField(feed, "version")?.includes("jsonfeed.org"))
    return undefined;
  return {
    ...defined("title", plain(textField(feed, "title"))),
    ...defined("description", plain(textField(feed, "description"))),
    entries: items.slice(0, mostEntries).map((item) => jsonEntry(fieldsOf(item), url)),
    total: items.length,
  };
}

function jsonEntry(item: Fields, base: string): FeedEntry {
  const authors = Array.isArray(item["authors"]) ? item["authors"] : [item["author"]];
  const names = authors.flatMap((author) => textField(fieldsOf(author), "name") ?? []);
  const written = textField(item, "url") ?? textField(item, "external_url");
  return {
    title: plain(textField(item, "title")) ?? "",
    ...defined("url", absolute(written, base)),
    ...defined("published", dateOf(textField(item, "date_published"))),
    ...defined("author", plain(names.join(", "))),
    ...defined(
      "summary",
      plain(
        textField(item, "summary") ??
          textField(item, "content_text") ??
          textField(item, "content_html"),
      ),
    ),
  };
}

type Fields = { readonly [name: string]: unknown };

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textField(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function absolute(written: string | undefined, base: string): string | undefined {
  const url = written === undefined ? null : URL.parse(written, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href.slice(0, 2_000) : undefined;
}

function dateOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text.trim());
  return Number.isNaN(ms) ? clean(text)?.slice(0, 50) : new Date(ms).toISOString();
}

/** Feeds contain HTML, as markup or in character references. */
function plain(text: string | undefined): string | undefined {
  const cleaned = clean(text === undefined ? undefined : stripTags(text));
  if (cleaned === undefined || cleaned.length <= longestSummary) return cleaned;
  return `${cleaned.slice(0, longestSummary - 1).toWellFormed()}…`;
}

function defined<K extends string>(
  key: K,
  value: string | undefined,
): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: string });
}
