import { visibleText } from "@capstan/core/text";
import { createSignal, For, Show } from "solid-js";
import type { ApprovalRequest } from "../run/run-event.ts";
import { FieldError } from "../shell/error-text.tsx";
import {
  defaultGrantChoice,
  grantChoiceText,
  type GrantChoice,
  needsConfirmation,
  patternProblem,
} from "./grant-answer.ts";
import { VisibleText } from "../shell/visible-text.tsx";
import { Button } from "../shell/button.tsx";
import { Form } from "../shell/form.tsx";
import { approvalsTexts } from "../texts/approvals.ts";

interface GrantChoiceProps {
  readonly approval: ApprovalRequest;
  readonly isLocked: boolean;
  /** The server's error about the pattern. */
  readonly problem: string | undefined;
  readonly onChoose: (choice: GrantChoice) => void;
}

/**
 * The form of an approval for more than one call: which calls, where, until when. It shows a
 * summary of the choice.
 */
export function GrantChoiceForm(props: GrantChoiceProps) {
  const [choice, setChoice] = createSignal(defaultGrantChoice(props.approval));
  /** The error in the pattern, detected before the answer is sent. */
  const [wrong, setWrong] = createSignal<string>();
  let pattern: HTMLTextAreaElement | undefined;
  const change = (more: Partial<GrantChoice>) => {
    setWrong(undefined);
    setChoice((before) => ({ ...before, ...more }));
  };
  const problem = () => (choice().covers === "pattern" ? (wrong() ?? props.problem) : undefined);
  const errorId = () => `wider-pattern-error-${props.approval.id}`;
  const covers = () => ({
    offer: visibleText(props.approval.grant?.title ?? ""),
    ...approvalsTexts.wider.covers,
    tool: approvalsTexts.wider.everyCall(visibleText(props.approval.toolName)),
  });
  const submit = () => {
    const message = patternProblem(choice());
    if (message === undefined) return props.onChoose(choice());
    setWrong(message);
    pattern?.focus();
  };

  return (
    <details class="wider" data-testid="approval-wider">
      <summary>{approvalsTexts.wider.title}</summary>
      <Form class="wider-form" onSubmit={submit}>
        <Choice
          label={approvalsTexts.wider.which}
          testId="wider-covers"
          value={choice().covers}
          options={covers()}
          onChoose={(covers) => change({ covers })}
        />
        <Choice
          label={approvalsTexts.wider.where}
          testId="wider-scope"
          value={choice().scope}
          options={approvalsTexts.wider.scopes}
          onChoose={(scope) => change({ scope })}
        />
        <Choice
          label={approvalsTexts.wider.until}
          testId="wider-until"
          value={choice().until}
          options={approvalsTexts.wider.ends}
          onChoose={(until) => change({ until })}
        />
        <Show when={choice().covers === "pattern"}>
          <textarea
            ref={(element) => (pattern = element)}
            class="field code"
            aria-invalid={problem() !== undefined}
            aria-describedby={problem() === undefined ? undefined : errorId()}
            aria-label={approvalsTexts.wider.pattern}
            data-testid="wider-pattern"
            rows={Math.min(10, choice().pattern.split("\n").length + 1)}
            spellcheck={false}
            value={choice().pattern}
            onInput={(event) => change({ pattern: event.currentTarget.value })}
          />
          <FieldError id={errorId()} message={problem()} />
        </Show>
        <p class="wider-text" data-testid="wider-text">
          <VisibleText isLine text={grantChoiceText(choice(), props.approval)} />
        </p>
        <Button type="submit" disabled={props.isLocked} data-testid="approval-allow-wider">
          {needsConfirmation(choice(), props.approval)
            ? approvalsTexts.wider.continue
            : approvalsTexts.wider.allow}
        </Button>
      </Form>
    </details>
  );
}

function Choice<Value extends string>(props: {
  readonly label: string;
  readonly testId: string;
  readonly value: Value;
  readonly options: { readonly [value in Value]: string };
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <label>
      {props.label}
      <select
        class="field"
        data-testid={props.testId}
        value={props.value}
        onChange={(event) => props.onChoose(event.currentTarget.value as Value)}
      >
        <For each={Object.entries<string>(props.options)}>
          {([value, text]) => <option value={value}>{text}</option>}
        </For>
      </select>
    </label>
  );
}
