import type { ApprovalView, ResultApprovalView, ReviewAnswerBody } from "@capstan/server/contract";
import { createSignal, onMount, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { answerApproval, readReview } from "../api/endpoints.ts";
import type { ReviewNotice } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { answersRest, restAnswers } from "./answer-guard.ts";
import { ApprovalKey } from "./approval-key.tsx";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { RedactWords } from "./redact-words.tsx";
import { ReviewedResultView } from "./reviewed-result.tsx";
import "./approvals.css";
import "./reviews.css";

type Mode = "release" | "redact" | "replace";

const headings = {
  release: "Release",
  redact: "Release without these words",
  replace: "Give this text instead",
} as const;

/** Shows a result to a person before the model sees it. It goes when the run says that it was answered. */
export function ReviewCard(props: { readonly review: ReviewNotice }) {
  const [review, setReview] = createSignal<ResultApprovalView | null>(null);
  const [isSending, setSending] = createSignal(false);
  const [outcome, setOutcome] = createSignal<ApprovalView["status"] | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const [mode, setMode] = createSignal<Mode>("release");
  const [words, setWords] = createSignal<readonly string[]>([]);
  const [text, setText] = createSignal("");
  let card!: HTMLElement;
  let reason!: HTMLInputElement;

  const isOpen = () => outcome() === null;
  // What was not seen cannot be released.
  const isLocked = () => isSending() || answersRest() || !isOpen();
  const isUnready = () =>
    isLocked() || review() === null || (mode() === "redact" && words().length === 0);
  const hasKeys = bindApprovalKeys(() => card, isOpen);
  const keys = (shortcut: string) => (hasKeys() ? shortcut : undefined);

  async function load(): Promise<void> {
    setError(null);
    try {
      const loaded = await readReview(props.review.id, 0);
      if (loaded.status === "pending") setReview(loaded);
      else setOutcome(loaded.status);
    } catch (failure) {
      setError(messageOf(failure));
    }
  }
  onMount(() => {
    restAnswers();
    void load();
  });

  async function answer(body: ReviewAnswerBody): Promise<void> {
    if (isLocked()) return;
    setSending(true);
    setError(null);
    restAnswers();
    try {
      const answered = await answerApproval(props.review.id, body);
      // The first answer counts: it may have been given in another window.
      setOutcome(answered.status === "pending" ? null : answered.status);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setSending(false);
    }
  }
  function give(): void {
    if (isUnready()) return;
    if (mode() === "redact") return void answer({ decision: "redact", words: words() });
    if (mode() === "replace") return void answer({ decision: "replace", text: text() });
    void answer({ decision: "release" });
  }
  function withhold(): void {
    const why = reason.value.trim();
    void answer({ decision: "withhold", ...(why === "" ? {} : { reason: why }) });
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
      <header class="approval-head">
        <h3>
          <span class="approval-tool">{props.review.toolName}</span>{" "}
          {props.review.isError ? "failed" : "ran"}. May the model see this?
        </h3>
        <span class="tag">{props.review.groupTitle}</span>
      </header>
      <p class="approval-reason">
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
        <div class="approval-actions">
          <button
            type="button"
            class="button primary"
            disabled={isUnready()}
            aria-keyshortcuts={keys("Alt+A")}
            data-testid="review-give"
            data-key="KeyA"
            onClick={give}
          >
            {headings[mode()]} <ApprovalKey letter="A" works={hasKeys} />
          </button>
          <button
            type="button"
            class="button quiet"
            aria-pressed={mode() === "redact"}
            disabled={isSending() || review() === null}
            aria-keyshortcuts={keys("Alt+E")}
            data-testid="review-redact"
            data-key="KeyE"
            onClick={() => toggle("redact")}
          >
            Redact <ApprovalKey letter="E" works={hasKeys} />
          </button>
          <button
            type="button"
            class="button quiet"
            aria-pressed={mode() === "replace"}
            disabled={isSending() || review() === null}
            aria-keyshortcuts={keys("Alt+P")}
            data-testid="review-replace"
            data-key="KeyP"
            onClick={() => toggle("replace")}
          >
            Replace <ApprovalKey letter="P" works={hasKeys} />
          </button>
        </div>
        <form
          class="approval-refuse"
          onSubmit={(event) => {
            event.preventDefault();
            withhold();
          }}
        >
          <input
            ref={(element) => (reason = element)}
            class="field"
            placeholder="Reason, if you withhold it; the model reads it"
            aria-label="Reason for withholding; the model reads it"
            data-testid="review-reason"
          />
          <button
            type="submit"
            class="button danger"
            disabled={isLocked()}
            aria-keyshortcuts={keys("Alt+R")}
            data-testid="review-withhold"
            data-key="KeyR"
          >
            Withhold <ApprovalKey letter="R" works={hasKeys} />
          </button>
        </form>
      </Show>
    </section>
  );
}
