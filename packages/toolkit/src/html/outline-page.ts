import { elementText } from "./element-text.ts";
import { select } from "./extract-elements.ts";
import { clean, parsePage } from "./parse-page.ts";

/** The part of a page to outline. */
export interface OutlineOptions {
  readonly selector: string;
  /** The number of levels below each element that matches. */
  readonly depth: number;
  /** The maximum number of lines. */
  readonly limit: number;
  /** Whether to show the beginning of the text of elements. */
  readonly text: boolean;
}

/** An element of the outline, or several that follow each other and look the same. */
export interface OutlinedElement {
  /** A selector of its tag, id and classes. @example "ul#toc.list" */
  readonly name: string;
  readonly level: number;
  /** The number of elements. Present if there is more than one; the first one stands for all. */
  readonly times?: number;
  readonly role?: string;
  readonly label?: string;
  /** The beginning of the element's own text. */
  readonly text?: string;
  /** The number of children that are not shown because of the depth. */
  readonly hidden?: number;
}

/** A part of a page with a known purpose. */
export interface Landmark {
  readonly role: string;
  /** A selector that matches the element. */
  readonly selector: string;
  readonly label?: string;
}

/** The structure of a page, or why the selector cannot be used. */
export type Outline =
  | {
      readonly status: "outlined";
      readonly title?: string;
      readonly matches: number;
      readonly landmarks: readonly Landmark[];
      readonly elements: readonly OutlinedElement[];
      /** Whether elements are omitted because of the limit. */
      readonly isCut: boolean;
      readonly cut?: string;
    }
  | { readonly status: "invalid_selector"; readonly message: string };

const maxElements = 50_000;
const mostLandmarks = 40;
const longestText = 60;
const mostClasses = 4;

const landmarkRoles: { readonly [tag: string]: string } = {
  header: "banner",
  nav: "navigation",
  main: "main",
  article: "article",
  aside: "complementary",
  footer: "contentinfo",
  form: "form",
  table: "table",
};
const roles = new Set([...Object.values(landmarkRoles), "search", "region"]);
const unseen = new Set(["script", "style", "noscript", "template", "link", "meta"]);

/** Returns the structure of a page: its landmarks and an outline of elements. Run it in a worker. */
export function outlinePage(
  page: string,
  url: string,
  { selector, depth, limit, text }: OutlineOptions,
): Outline {
  const { document, cut } = parsePage(page, url, { maxElements });
  const found = select(document, selector);
  if ("message" in found) return { status: "invalid_selector", message: found.message };
  const title = clean(document.querySelector("title")?.textContent)?.slice(0, 500);
  // The outline of a match already shows the elements within it.
  const matches = new Set(found);
  const tops = found.filter((element) => !hasAncestorIn(element, matches));
  const elements: OutlinedElement[] = [];
  addAll(tops, 0, { elements, depth, limit: limit + 1, text });
  return {
    status: "outlined",
    ...(title !== undefined && { title }),
    matches: found.length,
    landmarks: landmarksOf(document),
    elements: elements.slice(0, limit),
    isCut: elements.length > limit,
    ...(cut !== undefined && { cut }),
  };
}

function hasAncestorIn(element: Element, set: ReadonlySet<Element>): boolean {
  for (let above = element.parentElement; above !== null; above = above.parentElement)
    if (set.has(above)) return true;
  return false;
}

interface Lines {
  readonly elements: OutlinedElement[];
  readonly depth: number;
  readonly limit: number;
  readonly text: boolean;
}

function addAll(list: readonly Element[], level: number, lines: Lines): void {
  const shown = list.filter(({ localName }) => !unseen.has(localName));
  for (let at = 0; at < shown.length && lines.elements.length < lines.limit;) {
    const element = shown[at] as Element;
    const shape = shapeOf(element);
    let next = at + 1;
    while (next < shown.length && shapeOf(shown[next] as Element) === shape) next++;
    add(element, { level, times: next - at }, lines);
    at = next;
  }
}

function add(
  element: Element,
  { level, times }: { readonly level: number; readonly times: number },
  lines: Lines,
): void {
  const children = [...element.children].filter(({ localName }) => !unseen.has(localName));
  const isDeepest = level === lines.depth;
  const role = element.getAttribute("role");
  const label = element.getAttribute("aria-label");
  const text = lines.text ? textOf(element, children.length === 0 || isDeepest) : undefined;
  lines.elements.push({
    name: nameOf(element),
    level,
    ...(times > 1 && { times }),
    ...(role !== null && { role: role.slice(0, longestText) }),
    ...(label !== null && { label: label.slice(0, longestText) }),
    ...(text !== undefined && { text }),
    ...(isDeepest && children.length > 0 && { hidden: children.length }),
  });
  if (!isDeepest) addAll(children, level + 1, lines);
}

/** Returns the shape of an element. Adjacent elements of the same shape are shown once. */
function shapeOf(element: Element): string {
  const children = [...element.children].slice(0, 20).map(({ localName }) => localName);
  // An element with an id has a shape of its own.
  return `${nameOf(element)}>${children.join()}`;
}

function nameOf(element: Element): string {
  const { id } = element;
  const classes = (element.getAttribute("class") ?? "").split(/\s+/).filter(Boolean);
  const more = classes.length > mostClasses ? "…" : "";
  const named = classes.slice(0, mostClasses).map((name) => `.${name.slice(0, 40)}`);
  return `${element.localName}${id === "" ? "" : `#${id.slice(0, 40)}`}${named.join("")}${more}`;
}

function textOf(element: Element, isWhole: boolean): string | undefined {
  const own = [...element.childNodes]
    .filter(({ nodeType }) => nodeType === 3)
    .map(({ textContent }) => textContent)
    .join(" ");
  const text = isWhole ? elementText(element) : clean(own);
  if (text === undefined || text.length <= longestText) return text;
  return `${text.slice(0, longestText - 1).toWellFormed()}…`;
}

function landmarksOf(document: Document): readonly Landmark[] {
  const landmarks: Landmark[] = [];
  const query = `${Object.keys(landmarkRoles).join(", ")}, [role]`;
  for (const element of document.querySelectorAll(query)) {
    if (landmarks.length === mostLandmarks) break;
    const role = element.getAttribute("role") ?? landmarkRoles[element.localName] ?? "";
    if (!roles.has(role)) continue;
    const label =
      clean(element.getAttribute("aria-label")) ??
      clean(element.querySelector("h1, h2, h3, caption")?.textContent);
    landmarks.push({
      role,
      selector: selectorOf(element),
      ...(label !== undefined && { label: label.slice(0, longestText) }),
    });
  }
  return landmarks;
}

/** Returns a selector that matches this element first. */
function selectorOf(element: Element): string {
  const parts: string[] = [];
  for (let each: Element | null = element; each !== null; each = each.parentElement) {
    if (each.localName === "body" || each.localName === "html") break;
    if (/^[A-Za-z_][\w-]{0,60}$/.test(each.id)) return [`#${each.id}`, ...parts].join(" > ");
    const { localName } = each;
    const siblings = [...(each.parentElement?.children ?? [])].filter(
      (sibling) => sibling.localName === localName,
    );
    parts.unshift(
      siblings.length > 1 ? `${localName}:nth-of-type(${siblings.indexOf(each) + 1})` : localName,
    );
  }
  return ["body", ...parts].join(" > ");
}
