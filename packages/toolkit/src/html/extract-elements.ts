import { elementText } from "./element-text.ts";
import { clean, parsePage } from "./parse-page.ts";

/** The elements to extract. */
export interface ExtractOptions {
  readonly selector: string;
  /** The number of elements to leave out at the beginning. */
  readonly skip: number;
  readonly limit: number;
  /** Whether to return the source of each element in addition to its text. */
  readonly source: boolean;
  /** The attributes to return. All of them if absent. */
  readonly attributes?: readonly string[] | undefined;
  /** The longest text and the longest source of an element, in characters. */
  readonly length: number;
}

/** An element that a selector matches. */
export interface ExtractedElement {
  /** Its number among the matches, from 1. */
  readonly number: number;
  readonly tag: string;
  readonly attributes: { readonly [name: string]: string };
  readonly text: string;
  readonly html?: string;
  /**
   * The length of the text or the source, whichever is longer. Present if one of them is truncated.
   */
  readonly cutFrom?: number;
}

/** The elements that match, or why the selector cannot be used. */
export type Extraction =
  | {
      readonly status: "extracted";
      readonly title?: string;
      /** The number of all matches. */
      readonly matches: number;
      readonly elements: readonly ExtractedElement[];
      readonly cut?: string;
    }
  | { readonly status: "invalid_selector"; readonly message: string };

/** The maximum number of elements to parse, because each takes memory. */
const maxElements = 50_000;
/** The maximum length of all extracted texts together, in characters. */
const longestExtraction = 1024 * 1024;

/** Returns the elements of a page that match a CSS selector. Run it in a worker. */
export function extractElements(
  page: string,
  url: string,
  { selector, skip, limit, source, attributes, length }: ExtractOptions,
): Extraction {
  const { document, cut } = parsePage(page, url, { maxElements });
  const found = select(document, selector);
  if ("message" in found) return { status: "invalid_selector", message: found.message };
  const elements: ExtractedElement[] = [];
  let budget = longestExtraction;
  for (const [at, element] of found.entries()) {
    if (at < skip) continue;
    if (elements.length === limit || budget <= 0) break;
    const extracted = extract(element, { source, attributes, length });
    budget -= extracted.text.length + (extracted.html?.length ?? 0);
    elements.push({ number: at + 1, ...extracted });
  }
  const title = clean(document.querySelector("title")?.textContent)?.slice(0, 500);
  return {
    status: "extracted",
    ...(title !== undefined && { title }),
    matches: found.length,
    elements,
    ...(cut !== undefined && { cut }),
  };
}

/** Returns the elements that match, or why the selector is invalid. */
export function select(
  document: Document,
  selector: string,
): readonly Element[] | { readonly message: string } {
  try {
    return [...document.querySelectorAll(selector)];
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 300) : "it is not valid";
    return { message: message.replace(/, found $/, ", found its end") };
  }
}

function extract(
  element: Element,
  { source, attributes, length }: Pick<ExtractOptions, "source" | "attributes" | "length">,
): Omit<ExtractedElement, "number"> {
  const text = elementText(element) ?? "";
  const html = source ? element.outerHTML : "";
  const longest = Math.max(text.length, html.length);
  return {
    tag: element.localName,
    attributes: attributesOf(element, attributes),
    text: text.slice(0, length).toWellFormed(),
    ...(source && { html: html.slice(0, length).toWellFormed() }),
    ...(longest > length && { cutFrom: longest }),
  };
}

function attributesOf(
  element: Element,
  names: readonly string[] | undefined,
): ExtractedElement["attributes"] {
  return Object.fromEntries(
    [...element.attributes]
      .filter(({ name }) => names === undefined || names.includes(name.toLowerCase()))
      .slice(0, 50)
      .map(({ name, value }) => [name, value.slice(0, 2_000).toWellFormed()]),
  );
}
