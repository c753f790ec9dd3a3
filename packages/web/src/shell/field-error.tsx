import { Show } from "solid-js";

/** What is wrong with a field, under it; the field names it by `aria-describedby`. */
export function FieldError(props: { readonly id: string; readonly message: string | undefined }) {
  return (
    <Show when={props.message}>
      {(message) => (
        <p class="field-error" id={props.id} role="alert" data-testid={props.id}>
          {message()}
        </p>
      )}
    </Show>
  );
}
