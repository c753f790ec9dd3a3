import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";

export interface ReadablePage {
  readonly title?: string;
  readonly byline?: string;
  readonly siteName?: string;
  readonly published?: string;
  readonly markdown: string;
  /** The limit that the page exceeded. Present if only the beginning of the page was read. */
  readonly cut?: string;
}

/** Conversion takes time and memory for each element, and for each level of each element. */
const maxElements = 10_000;
const maxDepth = 100;

/** Elements to remove if Readability finds no article. */
const clutter =
  "title, script, style, noscript, template, iframe, object, embed, svg, canvas, form, nav, footer, dialog, [hidden], [aria-hidden=true]";

/**
 * Returns the readable part of a page as Markdown, with absolute links. Reads only the beginning of
 * a page with too many elements. Slow on large or hostile pages: run it in a worker.
 *
 * @param url the page's URL, for relative links
 * @param isWhole whether to return the whole page instead of its main article. @default false
 */
export function htmlToMarkdown(
  page: string,
  url: string,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): ReadablePage {
  const html = beginning(page);
  // Without <html> the parsed document would have no body.
  const isDocument = /<html[\s>]/i.test(html.slice(0, 10_000));
  const { document } = parseHTML(
    isDocument ? html : `<!doctype html><html><body>${html}</body></html>`,
  );
  flatten(document.documentElement);
  makeLinksAbsolute(document, baseOf(document, url));
  const title = clean(document.querySelector("title")?.textContent);
  // Readability modifies the document, so clone it first.
  const whole = document.body.cloneNode(true) as HTMLElement;
  const article = new Readability<Element>(document, {
    serializer: (node) => node as Element,
  }).parse();
  for (const element of whole.querySelectorAll(clutter)) element.remove();
  const wholeLength = clean(whole.textContent)?.length ?? 0;
  const articleLength = clean(article?.textContent)?.length ?? 0;
  // A list or an overview has no article, and a fragment of it would mislead.
  const isArticle = !isWhole && (articleLength >= 500 || articleLength >= wholeLength * 0.4);
  const content = isArticle ? (article?.content ?? whole) : whole;
  return {
    ...defined("title", clean(article?.title) ?? title),
    ...defined("byline", clean(article?.byline)),
    ...defined("siteName", clean(article?.siteName)),
    ...defined("published", clean(article?.publishedTime)),
    markdown: toMarkdown(content),
    ...(html.length < page.length && {
      cut: `more than ${maxElements.toLocaleString("en-US")} elements`,
    }),
  };
}

/** Returns the beginning of a page, up to the limit of elements. */
function beginning(html: string): string {
  let count = 0;
  for (const { index } of html.matchAll(/<[a-z]/gi))
    if (++count > maxElements) return html.slice(0, index);
  return html;
}

/** Replaces elements that are nested too deeply with their text. */
function flatten(root: Element): void {
  const open: (readonly [Element, number])[] = [[root, 0]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [element, depth] = next;
    if (depth === maxDepth) element.replaceChildren(element.textContent ?? "");
    else for (const child of element.children) open.push([child, depth + 1]);
  }
}

function toMarkdown(content: Element): string {
  const service = new TurndownService({
    headingStyle: "atx",
    hr: "---",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    emDelimiter: "_",
  });
  service.use(gfm);
  service.remove(["title", "script", "style", "noscript", "template", "iframe"]);
  // An image becomes its description, because its data is useless as text.
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const alt = clean(node.getAttribute("alt")) ?? "";
      const src = node.getAttribute("src") ?? "";
      if (!/^https?:/.test(src)) return alt;
      return `![${alt.replaceAll(/[[\]]/g, String.raw`\$&`)}](${src})`;
    },
  });
  // Passes HTML text, because Turndown's table rules need its own document model.
  return service
    .turndown(content.outerHTML)
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function makeLinksAbsolute(document: Document, base: string): void {
  for (const [selector, attribute] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const written = element.getAttribute(attribute) ?? "";
      const absolute = URL.canParse(written, base) ? new URL(written, base) : undefined;
      if (absolute !== undefined && /^(?:https?|mailto|tel):$/.test(absolute.protocol)) {
        element.setAttribute(attribute, absolute.href);
      } else element.removeAttribute(attribute);
    }
  }
}

function baseOf(document: Document, url: string): string {
  const declared = document.querySelector("base[href]")?.getAttribute("href");
  return declared != null && URL.canParse(declared, url) ? new URL(declared, url).href : url;
}

function clean(text: string | null | undefined): string | undefined {
  const cleaned = text?.replaceAll(/\s+/g, " ").trim();
  return cleaned === "" ? undefined : cleaned;
}

function defined<K extends string>(
  key: K,
  value: string | undefined,
): { readonly [key in K]?: string } {
  return value === undefined
    ? {}
    : ({ [key]: value.slice(0, 500) } as { readonly [key in K]: string });
}
