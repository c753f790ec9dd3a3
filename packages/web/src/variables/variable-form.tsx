import type { VariableUpdate, VariableView } from "@capstan/contract";
import { Show } from "solid-js";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";
import { variablesTexts } from "../texts/variables.ts";

export interface VariableFormProps {
  /** The variable to change; absent for a new one. */
  readonly variable?: VariableView;
  readonly text?: string;
  readonly onSave: (name: string, body: VariableUpdate) => Promise<void>;
  readonly onCancel: () => void;
}

/** Creates or changes a variable. Sends only changed fields, so that a new description keeps the value's data. */
export function VariableForm(props: VariableFormProps) {
  const saving = createAction();
  // Read once: the edited text stays when the variable is refreshed.
  const { variable, text: before = "" } = props;
  let name!: HTMLInputElement;
  let desc!: HTMLInputElement;
  let tags!: HTMLInputElement;
  let text!: HTMLTextAreaElement;
  const tagText = variable?.tags.join(", ") ?? "";

  const changes = (): VariableUpdate => {
    const isNew = variable === undefined;
    const list = tags.value
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== "");
    return {
      ...(isNew || text.value !== before ? { text: text.value } : {}),
      ...(desc.value !== (variable?.desc ?? "") ? { desc: desc.value } : {}),
      ...(tags.value !== tagText ? { tags: list } : {}),
    };
  };
  const save = () => saving.run(() => props.onSave(variable?.name ?? name.value.trim(), changes()));

  return (
    <Form
      class="variable-form"
      data-testid="variable-form"
      onSubmit={() => void save()}
      onEscape={() => props.onCancel()}
    >
      <Show when={variable === undefined}>
        <Field
          id="variable-name"
          label={variablesTexts.form.name}
          ref={(element) => (name = element)}
          required
          autocomplete="off"
          spellcheck={false}
          placeholder={variablesTexts.form.namePlaceholder}
        />
      </Show>
      <Field
        id="variable-text"
        label={variablesTexts.form.value}
        as="textarea"
        look="code"
        ref={(element) => (text = element)}
        rows="12"
        spellcheck={false}
        value={before}
      />
      <Field
        id="variable-desc"
        label={variablesTexts.form.description}
        ref={(element) => (desc = element)}
        value={variable?.desc ?? ""}
        placeholder={variablesTexts.form.descriptionPlaceholder}
      />
      <Field
        id="variable-tags"
        label={variablesTexts.form.tags}
        ref={(element) => (tags = element)}
        value={tagText}
      />
      <ErrorNotice message={saving.error()} testId="variable-error" />
      <FormActions isBusy={saving.isBusy()} onCancel={props.onCancel} testId="variable-save" />
    </Form>
  );
}
