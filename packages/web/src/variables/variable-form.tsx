import type { VariableUpdate, VariableView } from "@capstan/contract";
import { Show } from "solid-js";
import { ErrorNotice } from "../shell/error-text.tsx";
import { Field, Form, FormActions } from "../shell/form.tsx";
import { createAction } from "../state/action.ts";

export interface VariableFormProps {
  /** The variable to change; absent for a new one. */
  readonly variable?: VariableView;
  readonly text?: string;
  readonly onSave: (name: string, body: VariableUpdate) => Promise<void>;
  readonly onCancel: () => void;
}

/** Makes or changes a variable. Only what was changed is sent: a value's data outlives a new description. */
export function VariableForm(props: VariableFormProps) {
  const saving = createAction();
  // As it was when the form opened: what is being written stays when the variable comes anew.
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
          label="Name"
          ref={(element) => (name = element)}
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="notes"
        />
      </Show>
      <Field
        id="variable-text"
        label="Value"
        as="textarea"
        look="code"
        ref={(element) => (text = element)}
        rows="12"
        spellcheck={false}
        value={before}
      />
      <Field
        id="variable-desc"
        label="Description"
        ref={(element) => (desc = element)}
        value={variable?.desc ?? ""}
        placeholder="What it is; the model reads this in its list"
      />
      <Field
        id="variable-tags"
        label="Tags, with commas between"
        ref={(element) => (tags = element)}
        value={tagText}
      />
      <ErrorNotice message={saving.error()} testId="variable-error" />
      <FormActions isBusy={saving.isBusy()} onCancel={props.onCancel} testId="variable-save" />
    </Form>
  );
}
