import { Readability } from "@mozilla/readability";
import { gfm, TurndownService } from "../libraries/turndown-service.ts";
import { pageLinks } from "./page-links.ts";
import { clean, parsePage } from "./parse-page.ts";
import { removeBoilerplate, removeUnreadable } from "./remove-boilerplate.ts";

/** The readable part of a page. */
export interface ReadablePage {
  readonly title?: string;
  readonly byline?: string;
  readonly siteName?: string;
  readonly published?: string;
  readonly markdown: string;
  /** The limit that the page exceeded. Present if only the beginning of the page was read. */
  readonly cut?: string;
  /** The addresses of linked pages and of the page's feeds. Present if requested. */
  readonly links?: readonly string[];
}

/** The part of a page to convert. */
export interface MarkdownOptions {
  /**
   * The main article; the content of the page, without navigation and banners; or all of it.
   * @default "article"
   */
  readonly part?: "article" | "content" | "everything";
  /** Whether links and images keep their addresses. @default true */
  readonly addresses?: boolean;
  /** Whether to return the addresses of all links of the page. @default false */
  readonly listLinks?: boolean;
}

/** The maximum number of elements to convert: each takes time and memory, more at deeper levels. */
const maxElements = 10_000;

/**
 * Returns the readable part of a page as Markdown, with absolute links. Reads only the beginning of
 * a page with too many elements. Slow on large or hostile pages: run it in a worker.
 *
 * @param url the page's URL, for relative links
 */
export function htmlToMarkdown(
  page: string,
  url: string,
  { part = "article", addresses = true, listLinks = false }: MarkdownOptions = {},
): ReadablePage {
  const { document, cut } = parsePage(page, url, { maxElements });
  const title = clean(document.querySelector("title")?.textContent);
  const links = listLinks ? pageLinks(document) : undefined;
  if (part !== "everything") removeBoilerplate(document.body);
  // Readability modifies the document, so clone it first.
  const whole = document.body.cloneNode(true) as HTMLElement;
  const article = new Readability<Element>(document, {
    serializer: (node) => node as Element,
  }).parse();
  removeUnreadable(whole);
  const wholeLength = clean(whole.textContent)?.length ?? 0;
  const articleLength = clean(article?.textContent)?.length ?? 0;
  // A list or an overview has no article, and a fragment of it would mislead the model.
  const isArticle =
    part === "article" && (articleLength >= 500 || articleLength >= wholeLength * 0.4);
  const content = isArticle ? (article?.content ?? whole) : whole;
  return {
    ...defined("title", clean(article?.title) ?? title),
    ...defined("byline", clean(article?.byline)),
    ...defined("siteName", clean(article?.siteName)),
    ...defined("published", clean(article?.publishedTime)),
    markdown: toMarkdown(content, addresses),
    ...(cut !== undefined && { cut }),
    ...(links !== undefined && { links }),
  };
}

function toMarkdown(content: Element, addresses: boolean): string {
  const service = new TurndownService({
    headingStyle: "atx",
    hr: "---",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "_",
  });
  service.use(gfm);
  service.remove(["title", "script", "style", "noscript", "template", "iframe"]);
  // Replace a data URL with the image's alternative text, because image data is useless as text.
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const alt = clean(node.getAttribute("alt")) ?? "";
      const src = node.getAttribute("src") ?? "";
      if (!addresses || !/^https?:/.test(src)) return alt;
      return `![${alt.replaceAll(/[[\]]/g, String.raw`\$&`)}](${src})`;
    },
  });
  if (!addresses) service.addRule("link", { filter: "a", replacement: (text) => text });
  // Passes HTML text, because Turndown's table rules need its own document model.
  return service
    .turndown(content.outerHTML)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function defined<K extends string>(
  key: K,
  value: string | undefined,
): { readonly [key in K]?: string } {
  return value === undefined
    ? {}
    : ({ [key]: value.slice(0, 500) } as { readonly [key in K]: string });
}
