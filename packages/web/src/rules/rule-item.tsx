import type { OverrideView } from "@capstan/contract";
import { For, Show } from "solid-js";
import { ruleText } from "./rule-labels.ts";
import { Button } from "../shell/button.tsx";
import { createAction } from "../state/action.ts";
import { rulesTexts } from "../texts/rules.ts";

/** One rule: its calls, its settings, and notes about settings without effect. */
export function RuleItem(props: {
  readonly rule: OverrideView;
  readonly onChange: () => void;
  readonly onRemove: () => Promise<void>;
}) {
  const { isBusy, run } = createAction();
  return (
    <>
      <div class="rule-head baseline">
        <code>{props.rule.title}</code>
        <Show when={props.rule.effect !== "full"}>
          <span
            class="tag"
            classList={{ bad: props.rule.effect === "none", some: props.rule.effect === "partial" }}
            data-testid="rule-effect"
          >
            {props.rule.effect === "none" ? rulesTexts.noEffect : rulesTexts.partialEffect}
          </span>
        </Show>
      </div>
      <p class="rule-says">{ruleText(props.rule)}</p>
      <For each={props.rule.notes}>
        {(note) => (
          <p
            class="rule-note breaks"
            classList={{ some: props.rule.effect === "partial" }}
            data-testid="rule-note"
          >
            {note}
          </p>
        )}
      </For>
      <Show when={props.rule.reason}>
        {(reason) => <p class="rule-hint soft breaks">{rulesTexts.reasonOf(reason())}</p>}
      </Show>
      <div class="rule-buttons">
        <Button
          look="small"
          aria-label={rulesTexts.changeLabel(props.rule.title)}
          data-testid="change-rule"
          onClick={() => props.onChange()}
        >
          {rulesTexts.change}
        </Button>
        <Button
          look="small"
          disabled={isBusy()}
          aria-label={rulesTexts.removeLabel(props.rule.title)}
          data-testid="remove-rule"
          onClick={() => void run(props.onRemove)}
        >
          {rulesTexts.remove}
        </Button>
      </div>
    </>
  );
}
