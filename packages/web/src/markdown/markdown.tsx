import { createEffect, onCleanup, onMount } from "solid-js";
import { copyText } from "../shell/copy-text.ts";
import { colorCode } from "./color-code.ts";
import { pacedRender } from "./paced-render.ts";
import { renderFormulas } from "./render-formulas.ts";
import { safeFragment } from "./safe-fragment.ts";
import { extendBlocks, type MarkdownBlocks, noBlocks } from "./split-blocks.ts";
import { shellTexts } from "../texts/shell.ts";
import "./markdown.css";

/** Renders text as Markdown, even while it grows. */
export function Markdown(props: { readonly text: string; readonly open?: boolean }) {
  let container!: HTMLDivElement;
  onMount(() => {
    const target = markdownTarget(container);
    const rendering = pacedRender(() => target.show(props.text, props.open === true));
    onCleanup(rendering.stop);
    createEffect(() => {
      // Read both signals first, so that a change of either reruns this effect.
      const { text, open } = props;
      rendering.changed(open === true && text !== "");
    });
  });

  const onClick = (event: MouseEvent) => {
    const button = (event.target as Element).closest<HTMLButtonElement>("button.code-copy");
    if (button === null) return;
    const code = button.closest(".code-frame")?.querySelector("pre")?.textContent ?? "";
    void copyText(code).then((copied) => confirmOn(button, copied));
  };

  return (
    <div
      ref={(element) => (container = element)}
      class="markdown"
      classList={{ growing: props.open === true }}
      onClick={onClick}
    />
  );
}

function confirmOn(button: HTMLButtonElement, copied: boolean): void {
  button.textContent = copied ? shellTexts.copied : shellTexts.notCopied;
  setTimeout(() => (button.textContent = shellTexts.copy), 1600);
}

interface MarkdownTarget {
  /** Shows `text`, and renders only the blocks that changed. */
  show(text: string, isGrowing: boolean): void;
}

/** Fills an element with Markdown, block by block. */
function markdownTarget(container: HTMLElement): MarkdownTarget {
  let blocks: MarkdownBlocks = noBlocks;
  let shown: readonly string[] = [];
  /** Blocks whose code has no colours yet: colouring a growing block at each change is too slow. */
  const uncolored = new Set<Element>();
  return {
    show(text, isGrowing) {
      blocks = extendBlocks(blocks, text);
      const next = [...blocks.settled, ...blocks.tail];
      while (container.childElementCount > next.length) container.lastElementChild?.remove();
      for (let index = 0; index < next.length; index++) {
        const html = next[index] ?? "";
        if (html === shown[index]) continue;
        const block = container.children[index] ?? container.appendChild(newBlock());
        block.replaceChildren(safeFragment(html));
        void renderFormulas(block);
        uncolored.add(block);
      }
      shown = next;
      const complete = isGrowing ? blocks.settled.length : next.length;
      for (const block of [...container.children].slice(0, complete))
        if (uncolored.delete(block)) void colorCode(block);
    },
  };
}

function newBlock(): HTMLElement {
  const block = document.createElement("div");
  block.className = "block";
  return block;
}
