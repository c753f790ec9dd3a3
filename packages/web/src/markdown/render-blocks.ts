import { safeFragment } from "./safe-fragment.ts";
import { extendBlocks, noBlocks, type MarkdownBlocks } from "./split-blocks.ts";

export interface MarkdownTarget {
  /** Shows `text`; only blocks that changed are made anew. */
  show(text: string): void;
}

/** Fills an element with Markdown, block by block. */
export function markdownTarget(container: HTMLElement): MarkdownTarget {
  let blocks: MarkdownBlocks = noBlocks;
  let shown: readonly string[] = [];
  return {
    show(text) {
      blocks = extendBlocks(blocks, text);
      const next = [...blocks.settled, ...blocks.tail];
      while (container.childElementCount > next.length) container.lastElementChild?.remove();
      for (let index = 0; index < next.length; index++) {
        const html = next[index] ?? "";
        if (html === shown[index]) continue;
        const block = container.children[index] ?? container.appendChild(newBlock());
        block.replaceChildren(safeFragment(html));
      }
      shown = next;
    },
  };
}

function newBlock(): HTMLElement {
  const block = document.createElement("div");
  block.className = "block";
  return block;
}
