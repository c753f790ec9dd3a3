import type { ResultApprovalView } from "@capstan/contract";
import { visibleArguments, visibleParts, visibleText } from "@capstan/core/text";
import { createMemo, createSignal, For, onMount, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import type { ReviewNotice } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { AnswerButton } from "./answer-button.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { createAnswerSubmission } from "./submit-answer.ts";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { createFolding, ShowAll } from "./folding.tsx";
import { MayNotAllow, useMayAllow } from "./may-allow.tsx";
import { RedactWords } from "./redact-words.tsx";
import { RejectionForm } from "./rejection-form.tsx";
import { ReviewedResultView } from "./reviewed-result.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { createAction } from "../state/action.ts";
import { ErrorText } from "../shell/error-text.tsx";
import { approvalsTexts } from "../texts/approvals.ts";
import { inboxTexts } from "../texts/inbox.ts";
import "./approvals.css";
import "./reviews.css";

/** Characters of a long result to load per request. */
const pageChars = 1_000_000;

type Mode = "release" | "redact" | "replace";

const headings = {
  release: "release",
  redact: "releaseRedacted",
  replace: "releaseReplaced",
} as const;

const edits = [
  ["E", "redact"],
  ["P", "replace"],
] as const;

/**
 * Asks the user to review a result before the model sees it. It closes when the run reports an
 * answer.
 */
export function ReviewCard(props: { readonly review: ReviewNotice }) {
  const [review, setReview] = createSignal<ResultApprovalView | null>(null);
  const { isSending, isOpen, isLocked, outcome, setOutcome, error, setError, send } =
    createAnswerSubmission(() => props.review.id);
  const [mode, setMode] = createSignal<Mode>("release");
  const [words, setWords] = createSignal<readonly string[]>([]);
  const [text, setText] = createSignal("");
  let card!: HTMLElement;
  let reason!: HTMLInputElement;

  /** The loaded part of the result's text. */
  const [result, setResult] = createSignal("");
  const args = createMemo(() => visibleArguments(review()?.args ?? {}));
  const textParts = createMemo(() => visibleParts(result()));
  const total = () => review()?.result?.total ?? 0;
  /** The text that the model would see, if it differs from the whole result. */
  const forModel = createMemo(() => {
    const shown = review()?.result?.shown;
    return shown === undefined || (shown === result() && result().length >= total())
      ? undefined
      : visibleParts(shown);
  });
  const texts = () => [...args(), { value: textParts() }, { value: forModel() ?? [] }];
  const folding = createFolding(texts);
  const isFolded = () => folding.isFolded() || result().length < total();
  const loading = createAction();
  const showAll = () =>
    void loading.run(async () => {
      while (result().length < total()) {
        const page = { start: result().length, length: pageChars };
        const text = (await client.review(props.review.id, page)).result?.text;
        // The review was answered by another client.
        if (text === undefined || text === "") return;
        setResult((known) => known + text);
      }
      folding.unfold();
    });

  const mayAllow = useMayAllow();
  // The user cannot release text that the card has not shown in full, but can replace it.
  const isUnready = () =>
    isLocked() ||
    !mayAllow() ||
    review() === null ||
    (mode() !== "replace" && isFolded()) ||
    (mode() === "redact" && words().length === 0);
  const hasKeys = bindApprovalKeys(() => card, isOpen);

  async function load(): Promise<void> {
    setError(null);
    try {
      const loaded = await client.review(props.review.id, { start: 0 });
      if (loaded.status === "pending") {
        setResult(loaded.result?.text ?? "");
        setReview(loaded);
      } else setOutcome(loaded.status);
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
  /** Leaves the field that is being edited; the key then does not stop the turn. */
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
      aria-label={approvalsTexts.review.label(visibleText(props.review.toolName))}
      aria-busy={isSending()}
      data-testid="review-card"
      data-approval={props.review.id}
      data-tool={props.review.toolName}
      onKeyDown={onEscape}
    >
      <header class="approval-head spread">
        <h3>
          <span class="approval-tool">
            <VisibleText isLine text={props.review.toolName} />
          </span>{" "}
          {props.review.isError ? approvalsTexts.review.failed : approvalsTexts.review.completed}
        </h3>
        <span class="tag">
          <VisibleText isLine text={props.review.groupTitle} />
        </span>
      </header>
      <p class="approval-reason at-top">
        <Icon name="hand" size={16} />
        <span class="breaks">
          <VisibleText text={props.review.reason} />
        </span>
      </p>
      <Show when={review()}>
        {(shown) => (
          <>
            <ArgumentsView args={args()} isWhole={folding.isWhole()} />
            <ReviewedResultView
              review={shown()}
              text={textParts()}
              forModel={forModel()}
              isWhole={folding.isWhole()}
            />
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
                aria-label={approvalsTexts.review.replacement}
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
                {approvalsTexts.review.retry}
              </button>
            </Show>
          </p>
        )}
      </Show>
      <Show
        when={isOpen()}
        fallback={
          <p class="approval-outcome">
            {approvalsTexts.card.answered(inboxTexts.answers[outcome() ?? "pending"])}
          </p>
        }
      >
        <ShowAll
          folding={{ isFolded, unfold: showAll }}
          hasKeys={hasKeys}
          testId="review-show-all"
          then={approvalsTexts.folding.release}
          isBusy={loading.isBusy()}
        />
        <MayNotAllow mayAllow={mayAllow()} still={approvalsTexts.unpaired.withhold} />
        <ErrorText class="approval-error" message={loading.error()} />
        <div class="approval-actions flow">
          <AnswerButton
            letter="A"
            class="primary"
            testId="review-give"
            isDisabled={isUnready()}
            hasKeys={hasKeys}
            onClick={give}
          >
            {approvalsTexts.review[headings[mode()]]}
          </AnswerButton>
          <For each={edits}>
            {([letter, wanted]) => (
              <AnswerButton
                letter={letter}
                class="quiet"
                testId={`review-${wanted}`}
                isDisabled={isSending() || review() === null}
                isPressed={mode() === wanted}
                hasKeys={hasKeys}
                onClick={() => toggle(wanted)}
              >
                {approvalsTexts.review[wanted]}
              </AnswerButton>
            )}
          </For>
        </div>
        <RejectionForm
          word={approvalsTexts.review.withhold}
          placeholder={approvalsTexts.review.reason}
          label={approvalsTexts.review.reasonLabel}
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
