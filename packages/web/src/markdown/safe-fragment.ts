import createPurifier from "dompurify";
import { shellTexts } from "../texts/shell.ts";

const purifier = createPurifier(window);

const allowed = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong del b i u s sub sup kbd mark".split(
      " ",
    ),
    ..."table thead tbody tr th td a img input details summary span".split(" "),
  ],
  ALLOWED_ATTR: [
    "href",
    "title",
    "src",
    "alt",
    "start",
    "align",
    "class",
    "type",
    "checked",
    "open",
  ],
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const;

const ownPicture = /^data:image\/(png|jpeg|gif|webp);base64,/;

/**
 * Returns HTML from a model or a tool as safe nodes: no scripts, forms or styles, and nothing that
 * loads from another origin. Pictures of other origins become links.
 */
export function safeFragment(html: string): DocumentFragment {
  const fragment = purifier.sanitize(html, {
    ...allowed,
    ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
    ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
  });
  for (const image of fragment.querySelectorAll("img")) replacePicture(image);
  for (const link of fragment.querySelectorAll("a")) guardLink(link);
  for (const input of fragment.querySelectorAll("input")) guardInput(input);
  for (const element of fragment.querySelectorAll("[class]")) keepLanguage(element);
  for (const code of fragment.querySelectorAll("code")) markFormula(code);
  for (const pre of fragment.querySelectorAll("pre")) pre.replaceWith(codeFrame(pre));
  for (const table of fragment.querySelectorAll("table")) frameTable(table);
  return fragment;
}

function replacePicture(image: HTMLImageElement): void {
  const source = image.getAttribute("src") ?? "";
  if (ownPicture.test(source)) return;
  const link = document.createElement("a");
  link.href = source;
  link.textContent = shellTexts.picture(image.alt === "" ? source : image.alt);
  // Inside a link, a picture becomes its text.
  image.replaceWith(image.closest("a") === null ? link : document.createTextNode(link.textContent));
}

/** Links open outside the page and send no referrer. A link without a valid target becomes text. */
function guardLink(link: HTMLAnchorElement): void {
  if (/^(https?:|mailto:)/i.test(link.getAttribute("href") ?? "")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  } else {
    link.replaceWith(...link.childNodes);
  }
}

function guardInput(input: HTMLInputElement): void {
  if (input.type !== "checkbox") return input.remove();
  input.disabled = true;
}

function keepLanguage(element: Element): void {
  const language = [...element.classList].find((name) => name.startsWith("language-"));
  if (element.tagName === "CODE" && language !== undefined) element.className = language;
  else element.removeAttribute("class");
}

/**
 * Marks a formula for `renderFormulas`. A fenced block with the language `math` is also a formula.
 */
function markFormula(code: HTMLElement): void {
  const block = code.parentElement?.tagName === "PRE" ? code.parentElement : null;
  const isBlock = block !== null && code.className === "language-math";
  const isDisplay = isBlock || code.className === "language-formula-display";
  if (!isDisplay && (block !== null || code.className !== "language-formula")) return;
  const formula = element("span", isDisplay ? "formula display" : "formula");
  formula.textContent = code.textContent.trim();
  (block ?? code).replaceWith(formula);
}

function frameTable(table: HTMLTableElement): void {
  const frame = document.createElement("div");
  frame.className = "table-frame";
  frame.tabIndex = 0;
  frame.role = "group";
  frame.ariaLabel = shellTexts.table;
  table.replaceWith(frame);
  frame.append(table);
}

/** A code block with its language and a button that copies it. */
function codeFrame(pre: HTMLPreElement): HTMLElement {
  const language = pre.querySelector("code")?.className.replace("language-", "") ?? "";
  const frame = element("div", language === "" ? "code-frame plain" : "code-frame");
  const head = element("div", "code-head");
  const name = element("span", "code-language");
  name.textContent = language;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "code-copy";
  button.textContent = shellTexts.copy;
  button.ariaLabel = shellTexts.copyCode;
  const body = element("pre", "code-body");
  body.tabIndex = 0;
  body.append(...pre.childNodes);
  head.append(name, button);
  frame.append(head, body);
  return frame;
}

function element(tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}
