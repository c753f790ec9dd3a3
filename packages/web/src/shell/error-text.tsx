import { Show } from "solid-js";

interface ErrorTextProps {
  /** The error; null shows nothing. */
  readonly message: string | null | undefined;
  readonly testId?: string;
}

/** Shows the reason why a part of the page could not load, or an action failed. */
export function ErrorNotice(props: ErrorTextProps) {
  return <ErrorText {...props} class="notice danger" />;
}

/** The error of a field, shown under it; the field refers to it with `aria-describedby`. */
export function FieldError(props: ErrorTextProps & { readonly id?: string }) {
  return <ErrorText {...props} class="field-error" />;
}

export function ErrorText(
  props: ErrorTextProps & { readonly id?: string; readonly class: string },
) {
  return (
    <Show when={props.message}>
      {(message) => (
        <p class={props.class} id={props.id} role="alert" data-testid={props.testId ?? props.id}>
          {message()}
        </p>
      )}
    </Show>
  );
}
