import { createEffect, For, onCleanup, Show } from "solid-js";
import { IconButton } from "../shell/button.tsx";
import { shortcutTexts } from "../texts/shortcuts.ts";
import "./shortcuts-dialog.css";

/** The list of keyboard shortcuts. */
export function ShortcutsDialog(props: { readonly open: boolean; readonly onClose: () => void }) {
  let dialog!: HTMLDialogElement;
  createEffect(() => {
    if (props.open && !dialog.open) dialog.showModal();
    if (!props.open && dialog.open) dialog.close();
  });
  return (
    <dialog
      ref={(element) => (dialog = element)}
      class="dialog shortcuts-dialog"
      aria-labelledby="shortcuts-title"
      data-testid="shortcuts-dialog"
      onClose={() => props.onClose()}
      onClick={(event) => event.target === dialog && props.onClose()}
    >
      <Show when={props.open}>
        <div class="spread">
          <h2 id="shortcuts-title">{shortcutTexts.title}</h2>
          <IconButton
            icon="close"
            label={shortcutTexts.close}
            data-testid="close-shortcuts"
            onClick={() => props.onClose()}
          />
        </div>
        <dl class="shortcuts">
          <For each={shortcutTexts.list}>
            {({ keys, does }) => (
              <div class="spread">
                <dt>{does}</dt>
                <dd>
                  <For each={keys}>{(key) => <kbd>{key}</kbd>}</For>
                </dd>
              </div>
            )}
          </For>
        </dl>
      </Show>
    </dialog>
  );
}

/** Opens the list with `?`, except while the user types. */
export function bindShortcutsKey(open: () => void): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.defaultPrevented || event.isComposing) return;
    const { target } = event;
    const isTyping =
      target instanceof HTMLElement &&
      (target.isContentEditable || target.matches("input, textarea, select"));
    if (isTyping || document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    open();
  };
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));
}
