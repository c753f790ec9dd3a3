import type { OverrideChange, OverrideView, ToolGroupView } from "@capstan/contract";
import { createSignal, For, onMount, Show } from "solid-js";
import { ApiError } from "@capstan/client";
import { messageOf } from "../api/api-error.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { FieldError } from "../shell/field-error.tsx";
import { readDraft, refusedAt, type RuleDraft, ruleDraft, type RuleError } from "./rule-draft.ts";
import { ruleArguments, ruleSubjects } from "./rule-suggestions.ts";
import { executionLabels, resultLabels } from "./rule-labels.ts";

interface RuleFormProps {
  /** The rule to change; without one a new one is made. Its calls stay the same: others are another rule's. */
  readonly rule?: OverrideView;
  readonly groups: readonly ToolGroupView[];
  readonly onSave: (change: OverrideChange) => Promise<void>;
  readonly onCancel: () => void;
}

/** Makes or changes a rule. What is wrong is said at its field, which gets the focus. */
export function RuleForm(props: RuleFormProps) {
  const [draft, setDraft] = createSignal(ruleDraft(props.rule));
  const [error, setError] = createSignal<RuleError>();
  const [isSaving, setSaving] = createSignal(false);
  let form!: HTMLFormElement;
  const change = (more: Partial<RuleDraft>) => {
    setDraft((before) => ({ ...before, ...more }));
    setError(undefined);
  };
  const messageAt = (field: RuleError["field"]) =>
    error()?.field === field ? error()?.message : undefined;
  const marks = (field: RuleError["field"]) => ({
    "aria-invalid": messageAt(field) !== undefined,
    "aria-describedby": messageAt(field) === undefined ? undefined : `rule-${field}-error`,
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
    if (isSaving()) return;
    const types = argumentsNow();
    const read = readDraft(draft(), { rule: props.rule, typeOf: (name) => types.get(name) });
    if (read.type === "invalid") return show(read.error);
    setSaving(true);
    setError(undefined);
    try {
      await props.onSave(read.change);
    } catch (failure) {
      const param = failure instanceof ApiError ? failure.param : "";
      show(refusedAt(param, messageOf(failure), draft().conditions));
    } finally {
      setSaving(false);
    }
  }

  return (
    <form
      ref={(element) => (form = element)}
      class="rule-form"
      aria-label={props.rule === undefined ? "A new rule" : `Change the rule ${props.rule.title}`}
      data-testid="rule-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      // Not delegated: the panel around it would close first, and take what was written along.
      on:keydown={(event) => {
        if (event.key !== "Escape" || event.isComposing) return;
        event.preventDefault();
        props.onCancel();
      }}
    >
      <Show when={props.rule === undefined} fallback={<strong>{props.rule?.title}</strong>}>
        <label class="label" for="rule-tool">
          Tool or group
        </label>
        <input
          id="rule-tool"
          class="field code"
          list="rule-subjects"
          autocomplete="off"
          spellcheck={false}
          placeholder="files.ViewFile, files.* or *"
          data-testid="rule-tool"
          {...marks("tool")}
          value={draft().tool}
          onInput={(event) => change({ tool: event.currentTarget.value })}
        />
        <datalist id="rule-subjects">
          <For each={ruleSubjects(props.groups)}>
            {({ pattern, says }) => <option value={pattern}>{says}</option>}
          </For>
        </datalist>
        <FieldError id="rule-tool-error" message={messageAt("tool")} />
        <ConditionFields
          conditions={draft().conditions}
          suggestions={[...argumentsNow().keys()]}
          error={error()}
          onChange={(conditions) => change({ conditions })}
        />
      </Show>
      <label class="label" for="rule-execution">
        Such a call
      </label>
      <select
        id="rule-execution"
        class="field"
        data-testid="rule-execution"
        {...marks("execution")}
        onChange={(event) =>
          change({ execution: event.currentTarget.value as RuleDraft["execution"] })
        }
      >
        <Choices none="is not mine to decide" words={executionLabels} chosen={draft().execution} />
      </select>
      <FieldError id="rule-execution-error" message={messageAt("execution")} />
      <label class="label" for="rule-result">
        Its results
      </label>
      <select
        id="rule-result"
        class="field"
        data-testid="rule-result"
        {...marks("result")}
        onChange={(event) => change({ result: event.currentTarget.value as RuleDraft["result"] })}
      >
        <Choices none="are as the tool says" words={resultLabels} chosen={draft().result} />
      </select>
      <FieldError id="rule-result-error" message={messageAt("result")} />
      <label class="label" for="rule-reason">
        Reason, which a refused model reads
      </label>
      <input
        id="rule-reason"
        class="field"
        data-testid="rule-reason"
        {...marks("reason")}
        value={draft().reason}
        onInput={(event) => change({ reason: event.currentTarget.value })}
      />
      <FieldError id="rule-reason-error" message={messageAt("reason")} />
      <label class="label" for="rule-minutes">
        Minutes that a question stays open
      </label>
      <input
        id="rule-minutes"
        class="field"
        inputmode="decimal"
        autocomplete="off"
        placeholder="as the server says"
        data-testid="rule-minutes"
        {...marks("minutes")}
        value={draft().minutes}
        onInput={(event) => change({ minutes: event.currentTarget.value })}
      />
      <FieldError id="rule-minutes-error" message={messageAt("minutes")} />
      <FieldError id="rule-rule-error" message={messageAt("rule")} />
      <div class="dialog-actions">
        <button type="button" class="button quiet" onClick={() => props.onCancel()}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={isSaving()} data-testid="rule-save">
          Save
        </button>
      </div>
    </form>
  );
}

/** The words of a choice, and that nothing is said. */
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
