import type { ExecutionAnswerBody } from "@capstan/server/contract";
import { createSignal, For, Show } from "solid-js";
import { serverNow } from "../api/server-clock.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { choiceText, firstChoice, type WiderChoice, widerAnswer } from "./wider-answer.ts";

interface WiderChoiceProps {
  readonly approval: ApprovalRequest;
  readonly isLocked: boolean;
  readonly onAnswer: (body: ExecutionAnswerBody) => void;
  readonly onProblem: (message: string) => void;
}

/** A yes for more than one call: which calls, where, until when; in words before it is given. */
export function WiderChoiceForm(props: WiderChoiceProps) {
  const [choice, setChoice] = createSignal(firstChoice(props.approval));
  const change = (more: Partial<WiderChoice>) => setChoice((before) => ({ ...before, ...more }));
  const covers = (): readonly (readonly [WiderChoice["covers"], string])[] => [
    ["offer", props.approval.grant?.title ?? ""],
    ["arguments", "Exactly these arguments"],
    ["pattern", "Arguments that fit a pattern…"],
    ["tool", `Every call of ${props.approval.toolName}`],
  ];
  const submit = (event: Event) => {
    event.preventDefault();
    const answer = widerAnswer(choice(), serverNow());
    if (answer.type === "invalid") props.onProblem(answer.message);
    else props.onAnswer(answer.body);
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
              change({ covers: event.currentTarget.value as WiderChoice["covers"] })
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
              change({ scope: event.currentTarget.value as WiderChoice["scope"] })
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
              change({ until: event.currentTarget.value as WiderChoice["until"] })
            }
          >
            <option value="revoked">I revoke it</option>
            <option value="hour">In an hour</option>
            <option value="midnight">Midnight</option>
          </select>
        </label>
        <Show when={choice().covers === "pattern"}>
          <textarea
            class="field code"
            aria-label="Pattern: conditions by argument, as JSON"
            data-testid="wider-pattern"
            rows={Math.min(10, choice().pattern.split("\n").length + 1)}
            spellcheck={false}
            value={choice().pattern}
            onInput={(event) => change({ pattern: event.currentTarget.value })}
          />
        </Show>
        <p class="wider-text" data-testid="wider-text">
          {choiceText(choice(), props.approval)}
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
