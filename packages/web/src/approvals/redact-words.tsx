import { visibleText } from "@capstan/core/text";
import { createEffect, createSignal, For, on, onCleanup, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { Button } from "../shell/button.tsx";
import { selectedText, VisibleText } from "../shell/visible-text.tsx";

interface RedactWordsProps {
  readonly approval: string;
  /** Where the result is shown: what is selected there can be taken out. */
  readonly result: () => Element | null;
  readonly words: readonly string[];
  readonly setWords: (words: readonly string[]) => void;
}

/** The words to take out of a result, typed or selected in it, and what the model would then get. */
export function RedactWords(props: RedactWordsProps) {
  const [typed, setTyped] = createSignal("");
  const [preview, setPreview] = createSignal("");
  const [problem, setProblem] = createSignal<string | null>(null);
  const selected = followSelection(() => props.result());

  // The server says what comes out, as it will say it to the model; a word that is not there goes again.
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
          placeholder="Words to take out, as they stand in the result"
          aria-label="Words to take out, as they stand in the result"
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
        <Button onClick={() => add(typed())}>Take out</Button>
        <Button
          disabled={selected() === ""}
          data-testid="review-selected"
          // The selection must outlive the press.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => add(selected())}
        >
          Take out what is selected
        </Button>
      </div>
      <ErrorText class="approval-error" message={problem()} />
      <ul class="review-taken flow" aria-label="Words that are taken out">
        <For each={props.words}>
          {(word) => (
            <li>
              <button
                type="button"
                class="pill"
                aria-label={`Leave ${visibleText(word)} in`}
                onClick={() => props.setWords(props.words.filter((other) => other !== word))}
              >
                <VisibleText isLine text={word} /> ×
              </button>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.words.length > 0}>
        <p class="review-note">The model would get:</p>
        <pre class="value whole" tabindex="0" aria-live="polite" data-testid="review-preview">
          <VisibleText text={preview()} />
        </pre>
      </Show>
    </div>
  );
}

/** What is selected within an element, wherever else it is lost. */
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
