import { onMount } from "solid-js";

export interface RenameFieldProps {
  readonly title: string;
  readonly onDone: (title: string) => void;
  readonly onCancel: () => void;
}

/** A title, edited in place: Enter or leaving keeps it, Escape does not. */
export function RenameField(props: RenameFieldProps) {
  let field!: HTMLInputElement;
  let isOver = false;
  onMount(() => {
    // Once: what is being written stays when the list comes anew.
    field.value = props.title;
    field.focus();
    field.select();
  });
  const finish = (action: () => void) => {
    if (isOver) return;
    isOver = true;
    action();
  };

  return (
    <input
      ref={(element) => (field = element)}
      class="field rename-field"
      aria-label="Title of the conversation"
      data-testid="rename-field"
      maxlength="200"
      onBlur={() => finish(() => props.onDone(field.value.trim()))}
      // Not delegated: the list around it would close first, where it is a panel.
      on:keydown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") finish(() => props.onDone(field.value.trim()));
        if (event.key !== "Escape") return;
        event.preventDefault();
        finish(() => props.onCancel());
      }}
    />
  );
}
