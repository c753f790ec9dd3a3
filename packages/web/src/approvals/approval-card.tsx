import type { ApprovalAnswerBody, ApprovalView } from "@capstan/server/contract";
import { createSignal, onMount, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { answerApproval } from "../api/endpoints.ts";
import { parseJsonObject } from "../format/json-text.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { Icon } from "../shell/icon.tsx";
import { answersRest, restAnswers } from "./answer-guard.ts";
import { approvalKeys } from "./approval-keys.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import "./approvals.css";

/** Asks a person about one call. It goes when the run says that it was answered, here or elsewhere. */
export function ApprovalCard(props: { readonly approval: ApprovalRequest }) {
  const [isSending, setSending] = createSignal(false);
  const [outcome, setOutcome] = createSignal<ApprovalView["status"] | null>(null);
  const [error, setError] = createSignal<string | null>(null);
  const [edited, setEdited] = createSignal<string | null>(null);
  let reason!: HTMLInputElement;
  onMount(restAnswers);

  const isLocked = () => isSending() || answersRest() || outcome() !== null;
  const isEditing = () => edited() !== null;

  async function answer(body: ApprovalAnswerBody): Promise<void> {
    if (isLocked()) return;
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
    void answer({ decision: "allow", scope, arguments: parsed.value });
  }
  function refuse(): void {
    const text = reason.value.trim();
    void answer({ decision: "refuse", ...(text === "" ? {} : { reason: text }) });
  }
  const toggleEdit = () => {
    setError(null);
    setEdited(isEditing() ? null : JSON.stringify(props.approval.args, null, 2));
  };

  return (
    <section
      class="approval"
      tabindex="-1"
      aria-label={`${props.approval.toolName} asks for your word`}
      aria-busy={isSending()}
      data-testid="approval-card"
      data-approval={props.approval.id}
      data-tool={props.approval.toolName}
      onKeyDown={(event) => {
        // In a field, Escape leaves the field and does not stop the turn.
        if (
          event.key === "Escape" &&
          event.target instanceof HTMLElement &&
          event.target.matches("input, textarea")
        ) {
          event.preventDefault();
          event.target.blur();
        }
      }}
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
        when={outcome() === null}
        fallback={<p class="approval-outcome">This was answered: {outcome()}.</p>}
      >
        <div class="approval-actions" ref={(row) => approvalKeys(row)}>
          <button
            type="button"
            class="button primary"
            disabled={isLocked()}
            aria-keyshortcuts="Alt+A"
            data-testid="approval-allow-once"
            data-key="KeyA"
            onClick={() => allow("once")}
          >
            {isEditing() ? "Run it as edited" : "Allow once"} <Key letter="A" />
          </button>
          <button
            type="button"
            class="button"
            disabled={isLocked()}
            aria-keyshortcuts="Alt+S"
            data-testid="approval-allow-session"
            data-key="KeyS"
            onClick={() => allow("session")}
          >
            Allow for this session <Key letter="S" />
          </button>
          <button
            type="button"
            class="button quiet"
            aria-pressed={isEditing()}
            disabled={isSending()}
            aria-keyshortcuts="Alt+E"
            data-testid="approval-edit"
            data-key="KeyE"
            onClick={toggleEdit}
          >
            <Icon name="edit" size={15} /> {isEditing() ? "As it was" : "Edit"} <Key letter="E" />
          </button>
        </div>
        <p class="approval-covers">
          “For this session” covers:{" "}
          <strong data-testid="approval-covers">{props.approval.grant.title}</strong>.
          <Show when={props.approval.remember}>
            {" "}
            “Once” also holds for exactly these arguments in this chat.
          </Show>
        </p>
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
            aria-keyshortcuts="Alt+R"
            data-testid="approval-refuse"
            data-key="KeyR"
          >
            Refuse <Key letter="R" />
          </button>
        </form>
      </Show>
    </section>
  );
}

function Key(props: { readonly letter: string }) {
  return (
    <kbd class="key" aria-hidden="true">
      Alt {props.letter}
    </kbd>
  );
}
