import { visibleArguments, visibleJson } from "@capstan/core/text";
import { createMemo, createUniqueId, onMount, Show } from "solid-js";
import type { ApprovalRequest } from "../run/run-event.ts";
import { Button } from "../shell/button.tsx";
import { VisibleText } from "../shell/visible-text.tsx";
import { lockAnswers } from "./answer-lock.ts";
import { ArgumentsView } from "./arguments-view.tsx";
import { type GrantChoice, grantCover, grantWords } from "./grant-answer.ts";

/** The second step of a wider answer: names what it covers. No key of the card answers it. */
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
    // Not its button: one more Enter must not confirm what was not read.
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
      <h4 id={title}>Allow more than this call?</h4>
      <dl class="grant-covers">
        <dt>Tool</dt>
        <dd>
          <VisibleText isLine text={`${props.approval.toolName} (${props.approval.groupTitle})`} />
        </dd>
        <dt>Calls</dt>
        <dd>
          <VisibleText isLine text={words().calls} />
        </dd>
        <dt>Where</dt>
        <dd>{words().where}</dd>
        <dt>How long</dt>
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
        <ArgumentsView args={visibleArguments(props.approval.args)} isWhole />
      </Show>
      <p class="soft">
        It runs without asking you. Open questions that it covers are answered, too.
      </p>
      <div class="approval-actions flow">
        <Button
          disabled={props.isLocked}
          data-testid="approval-confirm-grant"
          onClick={() => props.onConfirm()}
        >
          Allow all of these
        </Button>
        <Button look="quiet" onClick={() => props.onBack()}>
          Back
        </Button>
      </div>
    </section>
  );
}
