import type { ResultApprovalView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import type { ReviewNotice } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { AnswerButton } from "./answer-button.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { createAnswerSubmission } from "./submit-answer.ts";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { RedactWords } from "./redact-words.tsx";
import { RejectionForm } from "./rejection-form.tsx";
import { ReviewedResultView } from "./reviewed-result.tsx";
import "./approvals.css";
import "./reviews.css";

type Mode = "release" | "redact" | "replace";

const headings = {
  release: "Release",
  redact: "Release without these words",
  replace: "Give this text instead",
} as const;

const edits = [
  ["E", "redact", "Redact"],
  ["P", "replace", "Replace"],
] as const;

/** Shows a result to a person before the model sees it. It goes when the run says that it was answered. */
export function ReviewCard(props: { readonly review: ReviewNotice }) {
  const [review, setReview] = createSignal<ResultApprovalView | null>(null);
  const { isSending, isOpen, isLocked, outcome, setOutcome, error, setError, send } =
    createAnswerSubmission(() => props.review.id);
  const [mode, setMode] = createSignal<Mode>("release");
  const [words, setWords] = createSignal<readonly string[]>([]);
  const [text, setText] = createSignal("");
  let card!: HTMLElement;
  let reason!: HTMLInputElement;

  // What was not seen cannot be released.
  const isUnready = () =>
    isLocked() || review() === null || (mode() === "redact" && words().length === 0);
  const hasKeys = bindApprovalKeys(() => card, isOpen);

  async function load(): Promise<void> {
    setError(null);
    try {
      const loaded = await client.review(props.review.id, { start: 0 });
      if (loaded.status === "pending") setReview(loaded);
      else setOutcome(loaded.status);
    } catch (failure) {
      setError(messageOf(failure));
    }
  }
  onMount(() => {
    lockAnswers();
    void load();
  });

  function give(): void {
    if (isUnready()) return;
    if (mode() === "redact") return void send({ decision: "redact", words: words() });
    if (mode() === "replace") return void send({ decision: "replace", text: text() });
    void send({ decision: "release" });
  }
  function toggle(wanted: Exclude<Mode, "release">): void {
    setError(null);
    setMode(mode() === wanted ? "release" : wanted);
    if (mode() === wanted) card.querySelector<HTMLElement>("[data-first-field]")?.focus();
  }
  /** Leaves what is being written, and so does not stop the turn. */
  function onEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing) return;
    if (mode() !== "release") setMode("release");
    else if (event.target !== reason) return;
    card.focus();
    event.preventDefault();
  }

  return (
    <section
      ref={(element) => (card = element)}
      class="approval review"
      tabindex="-1"
      aria-label={`${props.review.toolName} shows its result to you first`}
      aria-busy={isSending()}
      data-testid="review-card"
      data-approval={props.review.id}
      data-tool={props.review.toolName}
      onKeyDown={onEscape}
    >
      <header class="approval-head spread">
        <h3>
          <span class="approval-tool">{props.review.toolName}</span>{" "}
          {props.review.isError ? "failed" : "ran"}. May the model see this?
        </h3>
        <span class="tag">{props.review.groupTitle}</span>
      </header>
      <p class="approval-reason at-top">
        <Icon name="hand" size={16} /> {props.review.reason}
      </p>
      <Show when={review()}>
        {(shown) => (
          <>
            <ArgumentsView args={shown().args ?? {}} />
            <ReviewedResultView approval={props.review.id} first={shown()} />
            <Show when={mode() === "redact"}>
              <RedactWords
                approval={props.review.id}
                result={() => card.querySelector("[data-review-text]")}
                words={words()}
                setWords={setWords}
              />
            </Show>
            <Show when={mode() === "replace"}>
              <textarea
                class="field"
                aria-label="What the model gets instead"
                data-testid="review-replacement"
                data-first-field
                rows={4}
                value={text()}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </Show>
          </>
        )}
      </Show>
      <Show when={error()}>
        {(message) => (
          <p class="approval-error" role="alert" data-testid="review-error">
            {message()}{" "}
            <Show when={review() === null}>
              <button type="button" class="link-button" onClick={() => void load()}>
                Try again
              </button>
            </Show>
          </p>
        )}
      </Show>
      <Show
        when={isOpen()}
        fallback={<p class="approval-outcome">This was answered: {outcome()}.</p>}
      >
        <div class="approval-actions flow">
          <AnswerButton
            letter="A"
            class="primary"
            testId="review-give"
            isDisabled={isUnready()}
            hasKeys={hasKeys}
            onClick={give}
          >
            {headings[mode()]}
          </AnswerButton>
          <For each={edits}>
            {([letter, wanted, word]) => (
              <AnswerButton
                letter={letter}
                class="quiet"
                testId={`review-${wanted}`}
                isDisabled={isSending() || review() === null}
                isPressed={mode() === wanted}
                hasKeys={hasKeys}
                onClick={() => toggle(wanted)}
              >
                {word}
              </AnswerButton>
            )}
          </For>
        </div>
        <RejectionForm
          word="Withhold"
          placeholder="Reason, if you withhold it"
          label="Reason for withholding; the model reads it"
          testIds={{ reason: "review-reason", refuse: "review-withhold" }}
          hasKeys={hasKeys}
          isLocked={isLocked()}
          ref={(element) => (reason = element)}
          onRefuse={(why) => void send({ decision: "withhold", ...why })}
        />
      </Show>
    </section>
  );
}
