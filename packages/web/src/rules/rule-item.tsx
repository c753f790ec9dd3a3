import type { OverrideView } from "@capstan/server/contract";
import { createSignal, For, Show } from "solid-js";
import { serverNow } from "../api/server-clock.ts";
import { formatAge } from "../format/duration.ts";
import { ruleText } from "./rule-words.ts";

/** One rule: which calls, what it says, and what of it comes to nothing. */
export function RuleItem(props: {
  readonly rule: OverrideView;
  readonly onChange: () => void;
  readonly onRemove: () => Promise<void>;
}) {
  const [isRemoving, setRemoving] = createSignal(false);
  return (
    <>
      <div class="rule-head">
        <code>{props.rule.title}</code>
        <Show when={props.rule.effect !== "full"}>
          <span class="tag bad" data-testid="rule-effect">
            {props.rule.effect === "none" ? "no effect" : "in part"}
          </span>
        </Show>
      </div>
      <p class="rule-says">{ruleText(props.rule)}</p>
      <For each={props.rule.notes}>
        {(note) => (
          <p class="rule-note" data-testid="rule-note">
            {note}
          </p>
        )}
      </For>
      <p class="rule-hint">
        <Show when={props.rule.reason}>{(reason) => <>Reason: {reason()} · </>}</Show>
        {formatAge(props.rule.updatedAt, serverNow())}
      </p>
      <div class="rule-buttons">
        <button
          type="button"
          class="button small"
          aria-label={`Change the rule ${props.rule.title}`}
          data-testid="change-rule"
          onClick={() => props.onChange()}
        >
          Change
        </button>
        <button
          type="button"
          class="button small"
          disabled={isRemoving()}
          aria-label={`Remove the rule ${props.rule.title}`}
          data-testid="remove-rule"
          onClick={() => {
            setRemoving(true);
            void props.onRemove().finally(() => setRemoving(false));
          }}
        >
          Remove
        </button>
      </div>
    </>
  );
}
