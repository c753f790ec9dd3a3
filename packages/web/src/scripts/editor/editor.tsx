import type { ScriptProblemView } from "@capstan/contract";
import { createEffect, createMemo, For, on } from "solid-js";
import {
  countLines,
  indentChange,
  newLineChange,
  offsetAt,
  outdentChange,
  type Selected,
  type TextChange,
} from "./editor-text.ts";
import { scriptsTexts } from "../../texts/scripts.ts";

/** Height of a line in pixels, the same as in the style sheet. */
const lineHeight = 20;

export interface EditorProps {
  readonly name: string;
  readonly text: string;
  readonly readOnly: boolean;
  readonly problems: readonly ScriptProblemView[];
  /** A position to move to; each new object moves the cursor again. */
  readonly goTo: { readonly line: number; readonly column: number } | null;
  readonly onInput: (text: string) => void;
  readonly onSave: () => void;
}

/** A source code editor: line numbers, monospaced text, indentation with Tab, and marks at problems. */
export function Editor(props: EditorProps) {
  let field!: HTMLTextAreaElement;
  let gutter!: HTMLDivElement;
  /** After Escape the next Tab leaves the field, as it does everywhere else. */
  let isLeaving = false;
  const numbers = createMemo(() =>
    Array.from({ length: countLines(props.text) }, (_, index) => index + 1).join("\n"),
  );
  const marks = createMemo(() => {
    const byLine = new Map<number, ScriptProblemView>();
    for (const problem of props.problems) {
      const { line, severity } = problem;
      if (line !== undefined && (severity === "error" || !byLine.has(line)))
        byLine.set(line, problem);
    }
    return [...byLine];
  });
  const scroll = () => (gutter.style.transform = `translateY(${-field.scrollTop}px)`);

  createEffect(
    on(
      () => props.goTo,
      (place) => {
        if (place === null) return;
        const at = offsetAt(field.value, place.line, place.column);
        field.focus();
        field.setSelectionRange(at, at);
        field.scrollTop = Math.max(0, (place.line - 4) * lineHeight);
        scroll();
      },
    ),
  );

  function apply({ from, to, insert, start, end }: TextChange): void {
    field.setSelectionRange(from, to);
    // The browser can undo an `insertText` command, and fires `input` for the command and for the undo.
    // oxlint-disable-next-line typescript/no-deprecated -- there is no other way that keeps undo
    if (!document.execCommand("insertText", false, insert)) {
      field.setRangeText(insert, from, to);
      props.onInput(field.value);
    }
    field.setSelectionRange(start, end);
  }
  function onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const { key, ctrlKey, metaKey, altKey } = event;
    if (key.toLowerCase() === "s" && (ctrlKey || metaKey) && !altKey) {
      event.preventDefault();
      props.onSave();
      return;
    }
    if (key === "Escape") {
      // Escape must not also stop the turn.
      event.preventDefault();
      isLeaving = true;
      return;
    }
    const change = changeOf(key, event);
    // Shift alone does not count as a key.
    if (key !== "Shift") isLeaving = false;
    if (change === undefined || props.readOnly) return;
    event.preventDefault();
    apply(change(selectedIn(field)));
  }
  function changeOf(
    key: string,
    { ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent,
  ): ((selected: Selected) => TextChange) | undefined {
    if (ctrlKey || metaKey || altKey) return undefined;
    if (key === "Enter") return newLineChange;
    if (key !== "Tab" || isLeaving) return undefined;
    return shiftKey ? outdentChange : indentChange;
  }

  return (
    <div class="editor">
      <div class="editor-gutter" aria-hidden="true">
        <div ref={(element) => (gutter = element)} class="editor-numbers">
          <pre>{numbers()}</pre>
          <For each={marks()}>
            {([line, { severity, message }]) => (
              <span
                class={`editor-mark ${severity}`}
                title={message}
                style={{ top: `${(line - 1) * lineHeight}px` }}
              />
            )}
          </For>
        </div>
      </div>
      <textarea
        ref={(element) => (field = element)}
        class="editor-field"
        aria-label={scriptsTexts.source.editor(props.name)}
        aria-describedby="editor-hint"
        aria-invalid={props.problems.some(({ severity }) => severity === "error")}
        data-testid="editor"
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        readOnly={props.readOnly}
        value={props.text}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        onScroll={scroll}
        // `on:` does not delegate the event: otherwise the surrounding page would handle Escape first.
        on:keydown={onKey}
        onBlur={() => (isLeaving = false)}
      />
    </div>
  );
}

function selectedIn({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Selected {
  return { text: value, start: selectionStart, end: selectionEnd };
}
