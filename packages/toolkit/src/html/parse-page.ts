import { parseHTML } from "linkedom";

/** A page as a document, whose links are absolute. */
export interface ParsedPage {
  readonly document: Document;
  /** The limit that the page exceeded. Present if only the beginning of the page was read. */
  readonly cut?: string;
}

/** Elements below this level are replaced with their text, because work grows with the depth. */
const maxDepth = 100;

/**
 * Parses a page, and makes its links absolute. Reads only the beginning of a page with too many
 * elements. Slow on large or hostile pages: run it in a worker.
 *
 * @param url the page's URL, for relative links
 */
export function parsePage(
  page: string,
  url: string,
  { maxElements }: { readonly maxElements: number },
): ParsedPage {
  const html = beginning(page, maxElements);
  // Without <html> the parsed document would have no body.
  const isDocument = /<html[\s>]/i.test(html.slice(0, 10_000));
  const { document } = parseHTML(
    isDocument ? html : `<!doctype html><html><body>${html}</body></html>`,
  );
  flatten(document.documentElement);
  makeLinksAbsolute(document, baseOf(document, url));
  return {
    document,
    ...(html.length < page.length && {
      cut: `more than ${maxElements.toLocaleString("en-US")} elements`,
    }),
  };
}

/** Returns the beginning of a page, up to the limit of elements. */
function beginning(html: string, maxElements: number): string {
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

/** Returns a text in one line, or `undefined` if it is empty. */
export function clean(text: string | null | undefined): string | undefined {
  const cleaned = text?.replaceAll(/\s+/g, " ").trim();
  return cleaned === "" ? undefined : cleaned;
}
