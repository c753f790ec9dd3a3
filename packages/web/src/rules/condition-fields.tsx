import { Index, Show } from "solid-js";
import { type ConditionDraft, type ConditionTest, conditionTests } from "./condition-draft.ts";
import { FieldError } from "../shell/error-text.tsx";
import type { RuleError } from "./rule-draft.ts";
import { Button, IconButton } from "../shell/button.tsx";
import { rulesTexts } from "../texts/rules.ts";

interface ConditionFieldsProps {
  readonly conditions: readonly ConditionDraft[];
  /** The argument names to suggest. */
  readonly suggestions: readonly string[];
  readonly error: RuleError | undefined;
  readonly onChange: (conditions: readonly ConditionDraft[]) => void;
}

/** A test's label stands between the argument's name and the value. */
const tests = Object.keys(conditionTests) as readonly ConditionTest[];
/** The maximum number of conditions in a rule. */
const most = 20;

/** The conditions on arguments that select a rule's calls, one per line. All of them must hold. */
export function ConditionFields(props: ConditionFieldsProps) {
  let add!: HTMLButtonElement;
  const change = (index: number, more: Partial<ConditionDraft>) =>
    props.onChange(props.conditions.map((one, at) => (at === index ? { ...one, ...more } : one)));
  const errorAt = (index: number) =>
    props.error?.field === "condition" && props.error.condition === index
      ? props.error.message
      : undefined;
  const describedBy = (index: number) =>
    errorAt(index) === undefined ? undefined : `rule-condition-${index}-error`;

  return (
    <fieldset class="rule-conditions">
      <legend class="label">{rulesTexts.conditions.legend}</legend>
      <Show when={props.conditions.length === 0}>
        <p class="rule-hint soft breaks">{rulesTexts.conditions.all}</p>
      </Show>
      <datalist id="rule-arguments">
        <Index each={props.suggestions}>{(name) => <option value={name()} />}</Index>
      </datalist>
      <Index each={props.conditions}>
        {(condition, index) => (
          <div class="rule-condition" data-testid="rule-condition">
            <input
              class="field"
              list="rule-arguments"
              autocomplete="off"
              spellcheck={false}
              placeholder={rulesTexts.conditions.argumentPlaceholder}
              aria-label={rulesTexts.conditions.argument(index + 1)}
              aria-invalid={errorAt(index) !== undefined}
              aria-describedby={describedBy(index)}
              data-error-field={`condition-${index}`}
              value={condition().argument}
              onInput={(event) => change(index, { argument: event.currentTarget.value })}
            />
            <select
              class="select"
              aria-label={rulesTexts.conditions.test(index + 1)}
              onChange={(event) =>
                change(index, { test: event.currentTarget.value as ConditionTest })
              }
            >
              {tests.map((test) => (
                <option value={test} selected={condition().test === test}>
                  {rulesTexts.conditions.tests[test]}
                </option>
              ))}
            </select>
            <Show when={conditionTests[condition().test]}>
              {(example) => (
                <input
                  class="field"
                  autocomplete="off"
                  spellcheck={false}
                  placeholder={example()}
                  aria-label={rulesTexts.conditions.value(index + 1)}
                  aria-invalid={errorAt(index) !== undefined}
                  aria-describedby={describedBy(index)}
                  value={condition().value}
                  onInput={(event) => change(index, { value: event.currentTarget.value })}
                />
              )}
            </Show>
            <IconButton
              look="small"
              icon="close"
              size={15}
              label={rulesTexts.conditions.remove(index + 1)}
              onClick={() => {
                props.onChange(props.conditions.filter((_one, at) => at !== index));
                add.focus();
              }}
            />
            <FieldError id={`rule-condition-${index}-error`} message={errorAt(index)} />
          </div>
        )}
      </Index>
      <Button
        ref={(element) => (add = element)}
        look="small"
        disabled={props.conditions.length >= most}
        data-testid="add-condition"
        onClick={(event) => {
          const fields = event.currentTarget.parentElement;
          props.onChange([...props.conditions, { argument: "", test: "path", value: "" }]);
          const all = fields?.querySelectorAll<HTMLInputElement>("[data-error-field]");
          all?.item(all.length - 1).focus();
        }}
      >
        {props.conditions.length === 0
          ? rulesTexts.conditions.addFirst
          : rulesTexts.conditions.addMore}
      </Button>
    </fieldset>
  );
}
