import type { ExecutionAnswerBody } from "@capstan/contract";
import { readWholeVariables } from "@capstan/client";
import { unseenChars, visibleArguments, visibleJson, visibleText } from "@capstan/core/text";
import { createMemo, createSignal, onMount, Show } from "solid-js";
import { withoutPlace } from "../api/api-error.ts";
import { client } from "../api/client.ts";
import { parseJsonObject } from "../format/json-text.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { createAction } from "../state/action.ts";
import { VisibleText } from "../shell/visible-text.tsx";
import { AnswerButton } from "./answer-button.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { createAnswerSubmission } from "./submit-answer.ts";
import { bindApprovalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { createFolding, ShowAll } from "./folding.tsx";
import { MayNotAllow, useMayAllow } from "./may-allow.tsx";
import { RejectionForm } from "./rejection-form.tsx";
import {
  defaultGrantChoice,
  grantAnswer,
  type GrantChoice,
  needsConfirmation,
} from "./grant-answer.ts";
import { GrantChoiceForm } from "./grant-choice-form.tsx";
import { GrantConfirmation } from "./grant-confirmation.tsx";
import { ErrorText } from "../shell/error-text.tsx";
import { approvalsTexts } from "../texts/approvals.ts";
import { inboxTexts } from "../texts/inbox.ts";
import "./approvals.css";

/** Asks the user to approve one call. It closes when the run reports an answer from any client. */
export function ApprovalCard(props: { readonly approval: ApprovalRequest }) {
  const { isSending, isOpen, isLocked, outcome, error, errorField, setError, send } =
    createAnswerSubmission(() => props.approval.id);
  const [edited, setEdited] = createSignal<string | null>(null);
  /** The variables that the call reads, whole as soon as the user unfolded the card. */
  const [variables, setVariables] = createSignal(props.approval.variables);
  const shownTexts = () => ({ variables: variables(), preview: props.approval.preview });
  let card!: HTMLElement;
  let field!: HTMLTextAreaElement;
  let editButton!: HTMLButtonElement;
  let reason!: HTMLInputElement;
  onMount(lockAnswers);

  const isEditing = () => edited() !== null;
  /** The server's error about the pattern of a wider approval, shown at its field. */
  const patternProblem = () =>
    errorField().startsWith("covers.when")
      ? withoutPlace(error() ?? "", errorField()) || undefined
      : undefined;
  const hasKeys = bindApprovalKeys(() => card, isOpen);
  /** The arguments that would run; `null` if the edited text is not a JSON object and cannot be sent. */
  const shownArgs = createMemo(() => {
    const text = edited();
    const parsed = text === null ? undefined : parseJsonObject(text);
    if (parsed === undefined) return visibleArguments(props.approval.args, shownTexts());
    return parsed.type === "object"
      ? visibleArguments(parsed.value, { variables: variables() })
      : null;
  });
  const folding = createFolding(() => shownArgs() ?? []);
  const loading = createAction();
  /** Whether a part of the covered content is folded or not loaded. */
  const isFolded = () => folding.isFolded() || unseenChars(shownTexts()) > 0;
  const showAll = () =>
    void loading.run(async () => {
      if (unseenChars({ variables: variables() }) > 0)
        setVariables(await readWholeVariables(client, props.approval));
      folding.unfold();
    });
  const mayAllow = useMayAllow();
  // The user cannot allow arguments that the card has not shown in full.
  const isUnready = () => isLocked() || isFolded() || !mayAllow();
  /** The wider approval that still needs a confirmation. */
  const [wider, setWider] = createSignal<GrantChoice | null>(null);

  async function answer(body: ExecutionAnswerBody): Promise<void> {
    if (isLocked()) return;
    // The pressed button is disabled for a moment, so keep the focus in the card, where Escape is
    // handled.
    if (isEditing() && card.contains(document.activeElement)) field.focus();
    await send(body);
  }
  function allowOnce(): void {
    if (isUnready()) return;
    const text = edited();
    if (text === null) return void answer({ decision: "allow", scope: "once" });
    const parsed = parseJsonObject(text);
    if (parsed.type === "invalid") return void setError(parsed.message);
    void answer({ decision: "allow", arguments: parsed.value });
  }
  function allowMore(choice: GrantChoice): void {
    if (isUnready()) return;
    if (needsConfirmation(choice, props.approval)) return void setWider(choice);
    confirm(choice);
  }
  function confirm(choice: GrantChoice): void {
    void answer(grantAnswer(choice, props.approval, client.now()));
  }
  // A wider approval is not offered for edited arguments, or if a rule requires approval every
  // time.
  const offer = () => (isEditing() ? undefined : props.approval.grant);
  function startEditing(): void {
    setError(null);
    setWider(null);
    setEdited(visibleJson(props.approval.args));
    field.focus();
  }
  function stopEditing(): void {
    setError(null);
    setEdited(null);
    editButton.focus();
  }
  function leaveConfirmation(): void {
    setWider(null);
    card.focus();
  }
  /** Leaves the field that is being edited; the key then does not stop the turn. */
  function onEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape" || event.isComposing) return;
    if (isEditing()) {
      if (!isSending()) stopEditing();
    } else if (wider() !== null) leaveConfirmation();
    else if (event.target === reason) card.focus();
    else return;
    event.preventDefault();
  }

  return (
    <section
      ref={(element) => (card = element)}
      class="approval"
      tabindex="-1"
      aria-label={approvalsTexts.card.label(visibleText(props.approval.toolName))}
      aria-busy={isSending()}
      data-testid="approval-card"
      data-approval={props.approval.id}
      data-tool={props.approval.toolName}
      onKeyDown={onEscape}
    >
      <header class="approval-head spread">
        <h3>
          {approvalsTexts.card.heading.before}{" "}
          <span class="approval-tool">
            <VisibleText isLine text={props.approval.toolName} />
          </span>{" "}
          {approvalsTexts.card.heading.after}
        </h3>
        <span class="tag">
          <VisibleText isLine text={props.approval.groupTitle} />
        </span>
      </header>
      <Show when={props.approval.description}>
        {(description) => (
          <p class="approval-description dim breaks">
            <VisibleText text={description()} />
          </p>
        )}
      </Show>
      <p class="approval-reason at-top" data-testid="approval-why">
        <Icon name="hand" size={16} />
        <span class="breaks">
          <VisibleText text={props.approval.reason} />
        </span>
      </p>
      <Show when={isEditing()}>
        <textarea
          ref={(element) => (field = element)}
          class="field code"
          aria-label={approvalsTexts.card.argumentsField}
          data-testid="approval-arguments"
          rows={Math.min(16, (edited() ?? "").split("\n").length + 1)}
          spellcheck={false}
          value={edited() ?? ""}
          onInput={(event) => setEdited(event.currentTarget.value)}
        />
        <p class="approval-covers soft">{approvalsTexts.card.afterEdit}</p>
      </Show>
      <Show when={shownArgs()} fallback={<p class="dim">{approvalsTexts.card.notArguments}</p>}>
        {(args) => <ArgumentsView args={args()} isWhole={folding.isWhole()} />}
      </Show>
      <ErrorText
        class="approval-error"
        message={patternProblem() === undefined ? error() : null}
        testId="approval-error"
      />
      <Show
        when={isOpen()}
        fallback={
          <p class="approval-outcome">
            {approvalsTexts.card.answered(inboxTexts.answers[outcome() ?? "pending"])}
          </p>
        }
      >
        <ErrorText class="approval-error" message={loading.error()} testId="approval-show-error" />
        <ShowAll
          folding={{ isFolded, unfold: showAll }}
          hasKeys={hasKeys}
          testId="approval-show-all"
          isBusy={loading.isBusy()}
        />
        <MayNotAllow mayAllow={mayAllow()} still={approvalsTexts.unpaired.reject} />
        <div class="approval-actions flow">
          <AnswerButton
            letter="A"
            class="primary"
            testId="approval-allow-once"
            isDisabled={isUnready()}
            hasKeys={hasKeys}
            onClick={allowOnce}
          >
            {isEditing() ? approvalsTexts.card.allowEdited : approvalsTexts.card.allowOnce}
          </AnswerButton>
          <Show when={offer()}>
            <AnswerButton
              letter="S"
              class=""
              testId="approval-allow-session"
              isDisabled={isUnready()}
              hasKeys={hasKeys}
              onClick={() => allowMore(defaultGrantChoice(props.approval))}
            >
              {approvalsTexts.card.allowSession}
              <Show when={needsConfirmation(defaultGrantChoice(props.approval), props.approval)}>
                …
              </Show>
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
            <Icon name="edit" size={15} />{" "}
            {isEditing() ? approvalsTexts.card.discardEdits : approvalsTexts.card.edit}
          </AnswerButton>
        </div>
        <Show
          when={offer()}
          fallback={
            <p class="approval-covers soft" data-testid="approval-covers">
              {isEditing() ? approvalsTexts.card.editedCovers : approvalsTexts.card.onceCovers}
            </p>
          }
        >
          {(grant) => (
            <>
              <p class="approval-covers soft">
                {approvalsTexts.card.sessionCovers}{" "}
                <strong class="breaks" data-testid="approval-covers">
                  <VisibleText isLine text={grant().title} />
                </strong>
                {approvalsTexts.card.sentenceEnd}
                <Show when={props.approval.remember}> {approvalsTexts.card.onceRemembers}</Show>
              </p>
              <GrantChoiceForm
                approval={props.approval}
                isLocked={isUnready()}
                problem={patternProblem()}
                onChoose={allowMore}
              />
              <Show when={wider()}>
                {(choice) => (
                  <GrantConfirmation
                    approval={props.approval}
                    choice={choice()}
                    isLocked={isUnready()}
                    onConfirm={() => confirm(choice())}
                    onBack={leaveConfirmation}
                  />
                )}
              </Show>
            </>
          )}
        </Show>
        <RejectionForm
          word={approvalsTexts.card.reject}
          placeholder={approvalsTexts.card.reason}
          label={approvalsTexts.card.reasonLabel}
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
