import { directionPieces, visibleLine, visibleParts, type VisiblePart } from "@capstan/core/text";
import { createMemo, For } from "solid-js";

type Mark = Extract<VisiblePart, { readonly type: "mark" }>;

/** Shows untrusted text. Invisible characters appear as marks that no text can imitate. */
export function VisibleText(props: {
  readonly text: string;
  /** A name, a title: line breaks are marks, too. @default false */
  readonly isLine?: boolean;
}) {
  const parts = createMemo(() => (props.isLine ? visibleLine : visibleParts)(props.text));
  return <VisibleParts parts={parts()} />;
}

export function VisibleParts(props: { readonly parts: readonly VisiblePart[] }) {
  return (
    <For each={props.parts}>
      {(part) => (part.type === "mark" ? <MarkView mark={part} /> : <TextView text={part.text} />)}
    </For>
  );
}

function TextView(props: { readonly text: string }) {
  const pieces = createMemo(() => directionPieces(props.text));
  return (
    <For each={pieces()}>{(piece, index) => (index() % 2 === 1 ? <bdi>{piece}</bdi> : piece)}</For>
  );
}

function MarkView(props: { readonly mark: Mark }) {
  const words = () => `${props.mark.text.slice(1, -1)}, ${props.mark.meaning}`;
  return (
    <span class="mark" role="img" aria-label={words()} title={words()} data-of={props.mark.of}>
      {props.mark.text}
    </span>
  );
}

/**
 * Returns the original text of a selection: marks are replaced with the characters that they
 * represent.
 */
export function selectedText(selection: Selection): string {
  const { isCollapsed, rangeCount } = selection;
  if (isCollapsed || rangeCount === 0) return "";
  const selected = selection.getRangeAt(0).cloneContents();
  for (const mark of selected.querySelectorAll<HTMLElement>(".mark"))
    mark.replaceWith(mark.dataset["of"] ?? "");
  return selected.textContent ?? "";
}
