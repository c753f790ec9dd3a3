import type { VariableUpdate, VariableView } from "@capstan/contract";
import { createSignal, Show } from "solid-js";
import { messageOf } from "../api/api-error.ts";

export interface VariableFormProps {
  /** The variable to change; absent for a new one. */
  readonly variable?: VariableView;
  readonly text?: string;
  readonly onSave: (name: string, body: VariableUpdate) => Promise<void>;
  readonly onCancel: () => void;
}

/** Makes or changes a variable. Only what was changed is sent: a value's data outlives a new description. */
export function VariableForm(props: VariableFormProps) {
  const [error, setError] = createSignal<string | null>(null);
  const [isSaving, setSaving] = createSignal(false);
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
  const save = async () => {
    setSaving(true);
    setError(null);
    try {
      await props.onSave(variable?.name ?? name.value.trim(), changes());
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setSaving(false);
    }
  };

  return (
    <form
      class="variable-form"
      data-testid="variable-form"
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
      <Show when={variable === undefined}>
        <label class="label" for="variable-name">
          Name
        </label>
        <input
          ref={(element) => (name = element)}
          id="variable-name"
          class="field"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="notes"
          data-testid="variable-name"
        />
      </Show>
      <label class="label" for="variable-text">
        Value
      </label>
      <textarea
        ref={(element) => (text = element)}
        id="variable-text"
        class="field code"
        rows="12"
        spellcheck={false}
        data-testid="variable-text"
        value={before}
      />
      <label class="label" for="variable-desc">
        Description
      </label>
      <input
        ref={(element) => (desc = element)}
        id="variable-desc"
        class="field"
        value={variable?.desc ?? ""}
        placeholder="What it is; the model reads this in its list"
        data-testid="variable-desc"
      />
      <label class="label" for="variable-tags">
        Tags, with commas between
      </label>
      <input ref={(element) => (tags = element)} id="variable-tags" class="field" value={tagText} />
      <Show when={error()}>
        {(message) => (
          <p class="notice danger" role="alert" data-testid="variable-error">
            {message()}
          </p>
        )}
      </Show>
      <div class="dialog-actions">
        <button type="button" class="button quiet" onClick={() => props.onCancel()}>
          Cancel
        </button>
        <button
          type="submit"
          class="button primary"
          disabled={isSaving()}
          data-testid="variable-save"
        >
          Save
        </button>
      </div>
    </form>
  );
}
