import type { ApprovalView, ExecutionAnswerBody } from "@capstan/server/contract";
import { createSignal, onMount, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { answerApproval } from "../api/endpoints.ts";
import { parseJsonObject } from "../format/json-text.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { answersRest, restAnswers } from "./answer-guard.ts";
import { ApprovalKey } from "./approval-key.tsx";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { WiderChoiceForm } from "./wider-choice.tsx";
import "./approvals.css";

/** Asks a person about one call. It goes when the run says that it was answered, here or elsewhere. */
export function ApprovalCard(props: { readonly approval: ApprovalRequest }) {
  const [isSending, setSending] = createSignal(false);
  const [outcome, setOutcome] = createSignal<ApprovalView["status"] | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const [edited, setEdited] = createSignal<string | null>(null);
  let card!: HTMLElement;
  let field!: HTMLTextAreaElement;
  let editButton!: HTMLButtonElement;
  let reason!: HTMLInputElement;
  onMount(restAnswers);

  const isOpen = () => outcome() === null;
  const isLocked = () => isSending() || answersRest() || !isOpen();
  const isEditing = () => edited() !== null;
  const hasKeys = bindApprovalKeys(() => card, isOpen);
  const keys = (shortcut: string) => (hasKeys() ? shortcut : undefined);

  async function answer(body: ExecutionAnswerBody): Promise<void> {
    if (isLocked()) return;
    // The pressed button goes dead for a while: the focus, and with it Escape, stays in the card.
    if (isEditing() && card.contains(document.activeElement)) field.focus();
    setSending(true);
    setError(null);
    restAnswers();
    try {
      const answered = await answerApproval(props.approval.id, body);
      // The first answer counts: it may have been given in another window.
      setOutcome(answered.status === "pending" ? null : answered.status);
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setSending(false);
    }
  }
  function allow(scope: "once" | "session"): void {
    const text = edited();
    if (text === null) return void answer({ decision: "allow", scope });
    const parsed = parseJsonObject(text);
    if (parsed.type === "invalid") return void setError(parsed.message);
    void answer({ decision: "allow", arguments: parsed.value });
  }
  // What nobody asked about is allowed for this call alone, and so is what a rule asks every time.
  const offer = () => (isEditing() ? undefined : props.approval.grant);
  function refuse(): void {
    const text = reason.value.trim();
    void answer({ decision: "refuse", ...(text === "" ? {} : { reason: text }) });
  }
  function startEditing(): void {
    setError(null);
    setEdited(JSON.stringify(props.approval.args, null, 2));
    field.focus();
  }
  function stopEditing(): void {
    setError(null);
    setEdited(null);
    editButton.focus();
  }
  /** Leaves what is being written, and so does not stop the turn. */
  function onEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing) return;
    if (isEditing()) {
      if (!isSending()) stopEditing();
    } else if (event.target === reason) card.focus();
    else return;
    event.preventDefault();
  }

  return (
    <section
      ref={(element) => (card = element)}
      class="approval"
      tabindex="-1"
      aria-label={`${props.approval.toolName} asks for your word`}
      aria-busy={isSending()}
      data-testid="approval-card"
      data-approval={props.approval.id}
      data-tool={props.approval.toolName}
      onKeyDown={onEscape}
    >
      <header class="approval-head">
        <h3>
          May <span class="approval-tool">{props.approval.toolName}</span> run?
        </h3>
        <span class="tag">{props.approval.groupTitle}</span>
      </header>
      <Show when={props.approval.description}>
        <p class="approval-description">{props.approval.description}</p>
      </Show>
      <p class="approval-reason" data-testid="approval-why">
        <Icon name="hand" size={16} /> {props.approval.reason}
      </p>
      <Show when={isEditing()} fallback={<ArgumentsView args={props.approval.args} />}>
        <textarea
          ref={(element) => (field = element)}
          class="field code"
          aria-label="Arguments as JSON"
          data-testid="approval-arguments"
          rows={Math.min(16, (edited() ?? "").split("\n").length + 1)}
          spellcheck={false}
          value={edited() ?? ""}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
      </Show>
      <Show when={error()}>
        {(message) => (
          <p class="approval-error" role="alert" data-testid="approval-error">
            {message()}
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
            disabled={isLocked()}
            aria-keyshortcuts={keys("Alt+A")}
            data-testid="approval-allow-once"
            data-key="KeyA"
            onClick={() => allow("once")}
          >
            {isEditing() ? "Run it as edited" : "Allow once"}{" "}
            <ApprovalKey letter="A" works={hasKeys} />
          </button>
          <Show when={offer()}>
            <button
              type="button"
              class="button"
              disabled={isLocked()}
              aria-keyshortcuts={keys("Alt+S")}
              data-testid="approval-allow-session"
              data-key="KeyS"
              onClick={() => allow("session")}
            >
              Allow for this session <ApprovalKey letter="S" works={hasKeys} />
            </button>
          </Show>
          <button
            ref={(element) => (editButton = element)}
            type="button"
            class="button quiet"
            aria-pressed={isEditing()}
            disabled={isSending()}
            aria-keyshortcuts={keys("Alt+E")}
            data-testid="approval-edit"
            data-key="KeyE"
            onClick={() => (isEditing() ? stopEditing() : startEditing())}
          >
            <Icon name="edit" size={15} /> {isEditing() ? "As it was" : "Edit"}{" "}
            <ApprovalKey letter="E" works={hasKeys} />
          </button>
        </div>
        <Show
          when={offer()}
          fallback={
            <p class="approval-covers" data-testid="approval-covers">
              {isEditing()
                ? "What you change is allowed for this call alone."
                : "Your answer is for this call alone: you are asked every time."}
            </p>
          }
        >
          {(grant) => (
            <>
              <p class="approval-covers">
                “For this session” covers:{" "}
                <strong data-testid="approval-covers">{grant().title}</strong>.
                <Show when={props.approval.remember}>
                  {" "}
                  “Once” also holds for exactly these arguments in this chat.
                </Show>
              </p>
              <WiderChoiceForm
                approval={props.approval}
                isLocked={isLocked()}
                onAnswer={(body) => void answer(body)}
                onProblem={setError}
              />
            </>
          )}
        </Show>
        <form
          class="approval-refuse"
          onSubmit={(event) => {
            event.preventDefault();
            refuse();
          }}
        >
          <input
            ref={(element) => (reason = element)}
            class="field"
            placeholder="Reason, if you refuse; the model reads it"
            aria-label="Reason for refusing; the model reads it"
            data-testid="approval-reason"
          />
          <button
            type="submit"
            class="button danger"
            disabled={isLocked()}
            aria-keyshortcuts={keys("Alt+R")}
            data-testid="approval-refuse"
            data-key="KeyR"
          >
            Refuse <ApprovalKey letter="R" works={hasKeys} />
          </button>
        </form>
      </Show>
    </section>
  );
}
