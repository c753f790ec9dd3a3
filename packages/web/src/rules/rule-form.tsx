import type { OverrideChange, OverrideView, ToolGroupView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { ApiError } from "@capstan/client";
import { messageOf } from "../api/api-error.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { FieldError } from "../shell/error-text.tsx";
import { readDraft, refusedAt, type RuleDraft, ruleDraft, type RuleError } from "./rule-draft.ts";
import { ruleArguments, ruleSubjects } from "./rule-suggestions.ts";
import { executionLabels, resultLabels } from "./rule-labels.ts";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { rulesTexts } from "../texts/rules.ts";

interface RuleFormProps {
  /** The rule to change; omitted for a new rule. The calls that a rule covers cannot be changed. */
  readonly rule?: OverrideView;
  readonly groups: readonly ToolGroupView[];
  readonly onSave: (change: OverrideChange) => Promise<void>;
  readonly onCancel: () => void;
}

/** Creates or changes a rule. An error is shown at its field, which gets the focus. */
export function RuleForm(props: RuleFormProps) {
  const [draft, setDraft] = createSignal(ruleDraft(props.rule));
  const [error, setError] = createSignal<RuleError>();
  const saving = createAction();
  let form!: HTMLFormElement;
  const change = (more: Partial<RuleDraft>) => {
    setDraft((before) => ({ ...before, ...more }));
    setError(undefined);
  };
  const messageAt = (field: RuleError["field"]) =>
    error()?.field === field ? error()?.message : undefined;
  const about = (field: Exclude<keyof RuleDraft, "conditions">) => ({
    id: `rule-${field}`,
    error: messageAt(field),
    value: draft()[field],
    onValue: (value: string) => change({ [field]: value }),
    "data-error-field": field,
  });
  const argumentsNow = () => ruleArguments(props.groups, draft().tool.trim());
  onMount(() => form.querySelector<HTMLElement>("input, select")?.focus());

  function show(wrong: RuleError): void {
    setError(wrong);
    const name = wrong.field === "condition" ? `condition-${wrong.condition ?? 0}` : wrong.field;
    form.querySelector<HTMLElement>(`[data-error-field="${name}"]`)?.focus();
  }
  async function save(): Promise<void> {
    const types = argumentsNow();
    const read = readDraft(draft(), { rule: props.rule, typeOf: (name) => types.get(name) });
    if (read.type === "invalid") return show(read.error);
    setError(undefined);
    await saving.run(
      () => props.onSave(read.change),
      (failure) => {
        const param = failure instanceof ApiError ? failure.param : "";
        show(refusedAt(param, messageOf(failure), draft().conditions));
      },
    );
  }

  return (
    <Form
      ref={(element) => (form = element)}
      class="rule-form"
      aria-label={
        props.rule === undefined ? rulesTexts.newLabel : rulesTexts.changeLabel(props.rule.title)
      }
      data-testid="rule-form"
      onSubmit={() => void save()}
      onEscape={() => props.onCancel()}
    >
      <Show when={props.rule === undefined} fallback={<strong>{props.rule?.title}</strong>}>
        <Field
          {...about("tool")}
          label={rulesTexts.form.tool}
          look="code"
          list="rule-subjects"
          autocomplete="off"
          spellcheck={false}
          placeholder={rulesTexts.form.toolPlaceholder}
        />
        <datalist id="rule-subjects">
          <For each={ruleSubjects(props.groups)}>
            {({ pattern, says }) => <option value={pattern}>{says}</option>}
          </For>
        </datalist>
        <ConditionFields
          conditions={draft().conditions}
          suggestions={[...argumentsNow().keys()]}
          error={error()}
          onChange={(conditions) => change({ conditions })}
        />
      </Show>
      <Field {...about("execution")} as="select" label={rulesTexts.form.calls}>
        <Choices
          none={rulesTexts.form.callsDefault}
          words={executionLabels}
          chosen={draft().execution}
        />
      </Field>
      <Field {...about("result")} as="select" label={rulesTexts.form.results}>
        <Choices
          none={rulesTexts.form.resultsDefault}
          words={resultLabels}
          chosen={draft().result}
        />
      </Field>
      <Field {...about("reason")} label={rulesTexts.form.reason} />
      <Field
        {...about("minutes")}
        label={rulesTexts.form.minutes}
        inputmode="decimal"
        autocomplete="off"
        placeholder={rulesTexts.form.minutesPlaceholder}
      />
      <FieldError id="rule-rule-error" message={messageAt("rule")} />
      <FormActions isBusy={saving.isBusy()} onCancel={props.onCancel} testId="rule-save" />
    </Form>
  );
}

/** The options of a selection, with one for no setting. */
function Choices(props: {
  readonly none: string;
  readonly words: { readonly [word: string]: string };
  readonly chosen: string;
}) {
  return (
    <>
      <option value="" selected={props.chosen === ""}>
        {props.none}
      </option>
      <For each={Object.entries(props.words)}>
        {([word, text]) => (
          <option value={word} selected={props.chosen === word}>
            {text}
          </option>
        )}
      </For>
    </>
  );
}
