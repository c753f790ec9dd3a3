import type { createLowlight } from "lowlight";
import { loadOnce } from "./load-once.ts";

type Highlighter = ReturnType<typeof createLowlight>;
type HighlightedRoot = ReturnType<Highlighter["highlight"]>;

/** The longest code in UTF-16 code units that is coloured. */
const longest = 100_000;

/** Colours the code blocks in `root` whose language is known. Loads the grammars at the first one. */
export async function colorCode(root: ParentNode): Promise<void> {
  const blocks = [...root.querySelectorAll<HTMLElement>("pre > code[class^=language-]")];
  if (blocks.length === 0) return;
  const highlighter = await codeHighlighter();
  if (highlighter === undefined) return;
  for (const block of blocks) {
    const language = block.className.slice("language-".length).toLowerCase();
    const code = block.textContent ?? "";
    if (code.length > longest || !highlighter.registered(language)) continue;
    block.replaceChildren(...highlighter.highlight(language, code).children.map(toNode));
  }
}

const codeHighlighter = loadOnce(async () => {
  const { common, createLowlight } = await import("lowlight");
  return createLowlight(common);
});

/** Builds the nodes itself, so that no text is parsed as HTML. */
function toNode(part: HighlightedRoot["children"][number]): Node {
  if (part.type === "text") return document.createTextNode(part.value);
  const element = document.createElement("span");
  if (part.type !== "element") return element;
  const names = part.properties["className"];
  if (Array.isArray(names)) element.className = names.join(" ");
  element.append(...part.children.map((child) => toNode(child)));
  return element;
}
