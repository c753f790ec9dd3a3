import { visibleArguments, visibleJson } from "@capstan/core/text";
import { createMemo, createUniqueId, onMount, Show } from "solid-js";
import type { ApprovalRequest } from "../run/run-event.ts";
import { Button } from "../shell/button.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { type GrantChoice, grantCover, grantWords } from "./grant-answer.ts";
import { approvalsTexts } from "../texts/approvals.ts";

/**
 * Lists the calls that a wider approval covers, and asks the user to confirm. The card's keys do
 * not apply.
 */
export function GrantConfirmation(props: {
  readonly approval: ApprovalRequest;
  readonly choice: GrantChoice;
  readonly isLocked: boolean;
  readonly onConfirm: () => void;
  readonly onBack: () => void;
}) {
  const title = createUniqueId();
  let group!: HTMLElement;
  const words = () => grantWords(props.choice, props.approval);
  const cover = createMemo(() => grantCover(props.choice, props.approval));
  const pattern = () => {
    const covers = cover();
    if (covers.type === "offer") return props.approval.grant?.when;
    return covers.type === "pattern" ? covers.when : undefined;
  };
  onMount(() => {
    lockAnswers();
    // Focus the group, not its button: a second Enter must not confirm unread text.
    group.focus();
  });
  return (
    <section
      ref={(element) => (group = element)}
      class="grant-confirmation"
      role="group"
      tabindex="-1"
      aria-labelledby={title}
      data-testid="grant-confirmation"
    >
      <h4 id={title}>{approvalsTexts.confirmation.title}</h4>
      <dl class="grant-covers">
        <dt>{approvalsTexts.confirmation.tool}</dt>
        <dd>
          <VisibleText isLine text={`${props.approval.toolName} (${props.approval.groupTitle})`} />
        </dd>
        <dt>{approvalsTexts.confirmation.calls}</dt>
        <dd>
          <VisibleText isLine text={words().calls} />
        </dd>
        <dt>{approvalsTexts.confirmation.where}</dt>
        <dd>{words().where}</dd>
        <dt>{approvalsTexts.confirmation.until}</dt>
        <dd>{words().until}</dd>
      </dl>
      <Show when={pattern()}>
        {(when) => (
          <pre class="value whole">
            <VisibleText text={visibleJson(when())} />
          </pre>
        )}
      </Show>
      <Show when={cover().type === "arguments"}>
        <ArgumentsView args={visibleArguments(props.approval.args, props.approval)} isWhole />
      </Show>
      <p class="soft">{approvalsTexts.confirmation.consequence}</p>
      <div class="approval-actions flow">
        <Button
          disabled={props.isLocked}
          data-testid="approval-confirm-grant"
          onClick={() => props.onConfirm()}
        >
          {approvalsTexts.confirmation.confirm}
        </Button>
        <Button look="quiet" onClick={() => props.onBack()}>
          {approvalsTexts.confirmation.back}
        </Button>
      </div>
    </section>
  );
}
