import { visibleText } from "@capstan/core/text";
import { createEffect, createSignal, For, on, onCleanup, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { selectedText, VisibleText } from "../shell/visible-text.tsx";
import { approvalsTexts } from "../texts/approvals.ts";

interface RedactWordsProps {
  readonly approval: string;
  /** The element that shows the result. The user can remove text selected in it. */
  readonly result: () => Element | null;
  readonly words: readonly string[];
  readonly setWords: (words: readonly string[]) => void;
}

/**
 * Lets the user enter or select words to remove from a result, and previews the text for the model.
 */
export function RedactWords(props: RedactWordsProps) {
  const [typed, setTyped] = createSignal("");
  const [preview, setPreview] = createSignal("");
  const [problem, setProblem] = createSignal<string | null>(null);
  const selected = followSelection(() => props.result());

  // The server creates the preview with the code that redacts; a word that is not in the result is
  // removed from the list.
  createEffect(
    on(
      () => props.words,
      (words) => {
        let isOld = false;
        onCleanup(() => (isOld = true));
        if (words.length === 0) return void setPreview("");
        client.previewReview(props.approval, { decision: "redact", words }).then(
          ({ shown }) => isOld || setPreview(shown),
          (failure: unknown) => {
            if (isOld) return;
            setProblem(messageOf(failure));
            props.setWords(words.slice(0, -1));
          },
        );
      },
    ),
  );
  function add(word: string): void {
    if (word === "" || props.words.includes(word)) return;
    setProblem(null);
    props.setWords([...props.words, word]);
    setTyped("");
  }

  return (
    <div class="review-redact">
      <div class="review-words flow">
        <input
          class="field"
          placeholder={approvalsTexts.review.words}
          aria-label={approvalsTexts.review.words}
          data-testid="review-word"
          data-first-field
          value={typed()}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            add(typed());
          }}
        />
        <Button onClick={() => add(typed())}>{approvalsTexts.review.remove}</Button>
        <Button
          disabled={selected() === ""}
          data-testid="review-selected"
          // Pressing the button must not clear the selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => add(selected())}
        >
          {approvalsTexts.review.removeSelection}
        </Button>
      </div>
      <ErrorText class="approval-error" message={problem()} />
      <ul class="review-taken flow" aria-label={approvalsTexts.review.removed}>
        <For each={props.words}>
          {(word) => (
            <li>
              <button
                type="button"
                class="pill"
                aria-label={approvalsTexts.review.keep(visibleText(word))}
                onClick={() => props.setWords(props.words.filter((other) => other !== word))}
              >
                <VisibleText isLine text={word} /> ×
              </button>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.words.length > 0}>
        <p class="review-note">{approvalsTexts.review.preview}</p>
        <pre class="value whole" tabindex="0" aria-live="polite" data-testid="review-preview">
          <VisibleText text={preview()} />
        </pre>
      </Show>
    </div>
  );
}

/** Returns the selected text within an element, or an empty text if the selection is elsewhere. */
function followSelection(within: () => Element | null) {
  const [selected, setSelected] = createSignal("");
  const note = () => {
    const selection = document.getSelection();
    const isWithin =
      selection?.anchorNode != null &&
      selection.focusNode != null &&
      within()?.contains(selection.anchorNode) === true &&
      within()?.contains(selection.focusNode) === true;
    setSelected(isWithin ? selectedText(selection) : "");
  };
  document.addEventListener("selectionchange", note);
  onCleanup(() => document.removeEventListener("selectionchange", note));
  return selected;
}
