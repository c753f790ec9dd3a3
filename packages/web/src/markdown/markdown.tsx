import { createEffect, onCleanup, onMount } from "solid-js";
import { copyText } from "../shell/copy-text.ts";
import { markdownTarget, type MarkdownTarget } from "./render-blocks.ts";
import "./markdown.css";

/** Of the time, how much a growing text may take: one part in five. */
const restFactor = 4;

/** Text as Markdown, also while it grows. */
export function Markdown(props: { readonly text: string; readonly open?: boolean }) {
  let container!: HTMLDivElement;
  let target: MarkdownTarget | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let restUntil = 0;

  function render(): void {
    clearTimeout(timer);
    timer = undefined;
    const started = performance.now();
    target?.show(props.text);
    const ended = performance.now();
    restUntil = ended + (ended - started) * restFactor;
  }

  onMount(() => {
    target = markdownTarget(container);
    createEffect(() => {
      // Read both before deciding, so that either wakes this again.
      const open = props.open === true;
      if (props.text === "") return render();
      const rest = restUntil - performance.now();
      if (!open || rest < 16) render();
      else timer ??= setTimeout(render, rest);
    });
  });
  onCleanup(() => clearTimeout(timer));

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
  button.textContent = copied ? "Copied" : "Not copied";
  setTimeout(() => (button.textContent = "Copy"), 1600);
}
