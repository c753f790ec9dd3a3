import { createEffect, type JSX, Show } from "solid-js";
import { IconButton } from "../button.tsx";

/**
 * A modal dialog. Escape and a click outside close it. Its content exists only while it is open.
 *
 * @param props.label the name of a dialog without a heading
 * @param props.labelledBy the id of its heading
 */
export function Dialog(props: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly class: string;
  readonly label?: string;
  readonly labelledBy?: string;
  readonly testId: string;
  readonly children: JSX.Element;
}) {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (props.open && !dialog.open) dialog.showModal();
    if (!props.open && dialog.open) dialog.close();
  });
  return (
    <dialog
      ref={(element) => (dialog = element)}
      class={`dialog ${props.class}`}
      aria-label={props.label}
      aria-labelledby={props.labelledBy}
      data-testid={props.testId}
      onClose={() => props.onClose()}
      onClick={(event) => event.target === dialog && props.onClose()}
    >
      <Show when={props.open}>{props.children}</Show>
    </dialog>
  );
}

/** The heading of a dialog, with a button that closes it. */
export function DialogHead(props: {
  readonly id: string;
  readonly title: string;
  readonly closeLabel: string;
  readonly closeTestId: string;
  readonly class?: string;
  readonly onClose: () => void;
}) {
  return (
    <div class={`${props.class ?? ""} spread`.trim()}>
      <h2 id={props.id}>{props.title}</h2>
      <IconButton
        icon="close"
        label={props.closeLabel}
        data-testid={props.closeTestId}
        onClick={() => props.onClose()}
      />
    </div>
  );
}
