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
  /** The part of the page that was too large, so that only its beginning was read. */
  readonly cut?: string;
}

/** Laying out takes time and memory for each element, and for each level of each element. */
const maxElements = 10_000;
const maxDepth = 100;

/** Elements to remove if Readability finds no article. */
const clutter =
  "title, script, style, noscript, template, iframe, object, embed, svg, canvas, form, nav, footer, dialog, [hidden], [aria-hidden=true]";

/**
 * The readable part of a page as Markdown, with absolute links; of a page with too many elements the
 * beginning. Slow on large or hostile pages:
 * run it in a worker.
 *
 * @param url the page's URL, for relative links
 */
export function htmlToMarkdown(page: string, url: string): ReadablePage {
  const html = beginning(page);
  // Without <html> a document would have no body to look at.
  const isDocument = /<html[\s>]/i.test(html.slice(0, 10_000));
  const { document } = parseHTML(
    isDocument ? html : `<!doctype html><html><body>${html}</body></html>`,
  );
  flatten(document.documentElement);
  makeLinksAbsolute(document, baseOf(document, url));
  const title = clean(document.querySelector("title")?.textContent);
  // Readability takes the document apart.
  const whole = document.body.cloneNode(true) as HTMLElement;
  const article = new Readability<Element>(document, {
    serializer: (node) => node as Element,
  }).parse();
  for (const element of whole.querySelectorAll(clutter)) element.remove();
  const wholeLength = clean(whole.textContent)?.length ?? 0;
  const articleLength = clean(article?.textContent)?.length ?? 0;
  // A page that is a list or an overview has no article; a scrap of it would mislead.
  const isArticle = articleLength >= 500 || articleLength >= wholeLength * 0.4;
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

/** The part of a page that has as many elements as are read. */
function beginning(html: string): string {
  let count = 0;
  for (const { index } of html.matchAll(/<[a-z]/gi))
    if (++count > maxElements) return html.slice(0, index);
  return html;
}

/** Elements that are nested too deep become their text. */
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
  // A picture is its description: its data is of no use as text.
  service.addRule("image", {
    filter: "img",
    replacement: (_content, node) => {
      const alt = clean(node.getAttribute("alt")) ?? "";
      const src = node.getAttribute("src") ?? "";
      if (!/^https?:/.test(src)) return alt;
      return `![${alt.replaceAll(/[[\]]/g, String.raw`\$&`)}](${src})`;
    },
  });
  // As text, not as a node: its own document model has what its table rules need.
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
