import type { ExecutionAnswerBody } from "@capstan/contract";
import { createSignal, onMount, Show } from "solid-js";
import { withoutPlace } from "../api/api-error.ts";
import { parseJsonObject } from "../format/json-text.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { AnswerButton } from "./answer-button.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { createAnswerSubmission } from "./submit-answer.ts";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { RejectionForm } from "./rejection-form.tsx";
import { GrantChoiceForm } from "./grant-choice-form.tsx";
import { ErrorText } from "../shell/error-text.tsx";
import "./approvals.css";

/** Asks a person about one call. It goes when the run says that it was answered, here or elsewhere. */
export function ApprovalCard(props: { readonly approval: ApprovalRequest }) {
  const { isSending, isOpen, isLocked, outcome, error, errorField, setError, send } =
    createAnswerSubmission(() => props.approval.id);
  const [edited, setEdited] = createSignal<string | null>(null);
  let card!: HTMLElement;
  let field!: HTMLTextAreaElement;
  let editButton!: HTMLButtonElement;
  let reason!: HTMLInputElement;
  onMount(lockAnswers);

  const isEditing = () => edited() !== null;
  /** What is said of the wider answer's pattern stands there. */
  const patternProblem = () =>
    errorField().startsWith("covers.when")
      ? withoutPlace(error() ?? "", errorField()) || undefined
      : undefined;
  const hasKeys = bindApprovalKeys(() => card, isOpen);

  async function answer(body: ExecutionAnswerBody): Promise<void> {
    if (isLocked()) return;
    // The pressed button goes dead for a while: the focus, and with it Escape, stays in the card.
    if (isEditing() && card.contains(document.activeElement)) field.focus();
    await send(body);
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
      <header class="approval-head spread">
        <h3>
          May <span class="approval-tool">{props.approval.toolName}</span> run?
        </h3>
        <span class="tag">{props.approval.groupTitle}</span>
      </header>
      <Show when={props.approval.description}>
        <p class="approval-description dim">{props.approval.description}</p>
      </Show>
      <p class="approval-reason at-top" data-testid="approval-why">
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
      <ErrorText
        class="approval-error"
        message={patternProblem() === undefined ? error() : null}
        testId="approval-error"
      />
      <Show
        when={isOpen()}
        fallback={<p class="approval-outcome">This was answered: {outcome()}.</p>}
      >
        <div class="approval-actions flow">
          <AnswerButton
            letter="A"
            class="primary"
            testId="approval-allow-once"
            isDisabled={isLocked()}
            hasKeys={hasKeys}
            onClick={() => allow("once")}
          >
            {isEditing() ? "Run it as edited" : "Allow once"}
          </AnswerButton>
          <Show when={offer()}>
            <AnswerButton
              letter="S"
              class=""
              testId="approval-allow-session"
              isDisabled={isLocked()}
              hasKeys={hasKeys}
              onClick={() => allow("session")}
            >
              Allow for this session
            </AnswerButton>
          </Show>
          <AnswerButton
            letter="E"
            class="quiet"
            testId="approval-edit"
            isDisabled={isSending()}
            isPressed={isEditing()}
            hasKeys={hasKeys}
            ref={(element) => (editButton = element)}
            onClick={() => (isEditing() ? stopEditing() : startEditing())}
          >
            <Icon name="edit" size={15} /> {isEditing() ? "As it was" : "Edit"}
          </AnswerButton>
        </div>
        <Show
          when={offer()}
          fallback={
            <p class="approval-covers soft" data-testid="approval-covers">
              {isEditing()
                ? "What you change is allowed for this call alone."
                : "Your answer is for this call alone: you are asked every time."}
            </p>
          }
        >
          {(grant) => (
            <>
              <p class="approval-covers soft">
                “For this session” covers:{" "}
                <strong data-testid="approval-covers">{grant().title}</strong>.
                <Show when={props.approval.remember}>
                  {" "}
                  “Once” also holds for exactly these arguments in this chat.
                </Show>
              </p>
              <GrantChoiceForm
                approval={props.approval}
                isLocked={isLocked()}
                problem={patternProblem()}
                onAnswer={(body) => void answer(body)}
              />
            </>
          )}
        </Show>
        <RejectionForm
          word="Refuse"
          placeholder="Reason, if you refuse"
          label="Reason for refusing; the model reads it"
          testIds={{ reason: "approval-reason", refuse: "approval-refuse" }}
          hasKeys={hasKeys}
          isLocked={isLocked()}
          ref={(element) => (reason = element)}
          onRefuse={(why) => void answer({ decision: "refuse", ...why })}
        />
      </Show>
    </section>
  );
}
