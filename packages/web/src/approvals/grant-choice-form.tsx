import type { ExecutionAnswerBody } from "@capstan/contract";
import { createSignal, For, Show } from "solid-js";
import { client } from "../api/client.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { FieldError } from "../shell/field-error.tsx";
import {
  grantChoiceText,
  defaultGrantChoice,
  type GrantChoice,
  grantAnswer,
} from "./grant-answer.ts";

interface GrantChoiceProps {
  readonly approval: ApprovalRequest;
  readonly isLocked: boolean;
  /** What the server said of the pattern. */
  readonly problem: string | undefined;
  readonly onAnswer: (body: ExecutionAnswerBody) => void;
}

/** A yes for more than one call: which calls, where, until when; in words before it is given. */
export function GrantChoiceForm(props: GrantChoiceProps) {
  const [choice, setChoice] = createSignal(defaultGrantChoice(props.approval));
  /** What is wrong with the pattern as it is written, before it is sent. */
  const [wrong, setWrong] = createSignal<string>();
  let pattern: HTMLTextAreaElement | undefined;
  const change = (more: Partial<GrantChoice>) => {
    setWrong(undefined);
    setChoice((before) => ({ ...before, ...more }));
  };
  const problem = () => (choice().covers === "pattern" ? (wrong() ?? props.problem) : undefined);
  const errorId = () => `wider-pattern-error-${props.approval.id}`;
  const covers = (): readonly (readonly [GrantChoice["covers"], string])[] => [
    ["offer", props.approval.grant?.title ?? ""],
    ["arguments", "Exactly these arguments"],
    ["pattern", "Arguments that fit a pattern…"],
    ["tool", `Every call of ${props.approval.toolName}`],
  ];
  const submit = (event: Event) => {
    event.preventDefault();
    const answer = grantAnswer(choice(), client.now());
    if (answer.type === "answer") return props.onAnswer(answer.body);
    setWrong(answer.message);
    pattern?.focus();
  };

  return (
    <details class="wider" data-testid="approval-wider">
      <summary>Allow more than this call…</summary>
      <form class="wider-form" onSubmit={submit}>
        <label>
          Which calls
          <select
            class="field"
            data-testid="wider-covers"
            value={choice().covers}
            onChange={(event) =>
              change({ covers: event.currentTarget.value as GrantChoice["covers"] })
            }
          >
            <For each={covers()}>{([value, label]) => <option value={value}>{label}</option>}</For>
          </select>
        </label>
        <label>
          Where
          <select
            class="field"
            data-testid="wider-scope"
            value={choice().scope}
            onChange={(event) =>
              change({ scope: event.currentTarget.value as GrantChoice["scope"] })
            }
          >
            <option value="session">In this chat</option>
            <option value="always">In every chat</option>
          </select>
        </label>
        <label>
          Until
          <select
            class="field"
            data-testid="wider-until"
            value={choice().until}
            onChange={(event) =>
              change({ until: event.currentTarget.value as GrantChoice["until"] })
            }
          >
            <option value="revoked">I revoke it</option>
            <option value="hour">In an hour</option>
            <option value="midnight">Midnight</option>
          </select>
        </label>
        <Show when={choice().covers === "pattern"}>
          <textarea
            ref={(element) => (pattern = element)}
            class="field code"
            aria-invalid={problem() !== undefined}
            aria-describedby={problem() === undefined ? undefined : errorId()}
            aria-label="Pattern: conditions by argument, as JSON"
            data-testid="wider-pattern"
            rows={Math.min(10, choice().pattern.split("\n").length + 1)}
            spellcheck={false}
            value={choice().pattern}
            onInput={(event) => change({ pattern: event.currentTarget.value })}
          />
          <FieldError id={errorId()} message={problem()} />
        </Show>
        <p class="wider-text" data-testid="wider-text">
          {grantChoiceText(choice(), props.approval)}
        </p>
        <button
          type="submit"
          class="button"
          disabled={props.isLocked}
          data-testid="approval-allow-wider"
        >
          Allow this
        </button>
      </form>
    </details>
  );
}
