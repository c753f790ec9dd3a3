import { clean } from "./parse-page.ts";

/** Elements that do not separate the words before, in and after them. */
const inline = new Set(
  "a abbr b bdi bdo cite code data dfn em font i kbd label mark q rp rt ruby s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const unread = new Set(["script", "style", "noscript", "template"]);

/**
 * Returns the text of an element in one line, with a space between blocks and cells. The source of
 * scripts and styles is read only if the element is one.
 */
export function elementText(element: Element): string | undefined {
  const pieces: string[] = [];
  collect(element, pieces);
  return clean(pieces.join(""));
}

function collect(element: Element, pieces: string[]): void {
  for (const node of element.childNodes) {
    if (node.nodeType === 3 || node.nodeType === 4) pieces.push(node.textContent ?? "");
    if (node.nodeType !== 1) continue;
    const child = node as Element;
    if (unread.has(child.localName)) continue;
    if (inline.has(child.localName)) collect(child, pieces);
    else {
      pieces.push(" ");
      collect(child, pieces);
      pieces.push(" ");
    }
  }
}
