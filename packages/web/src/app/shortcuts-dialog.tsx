import { For, onCleanup } from "solid-js";
import { Dialog, DialogHead } from "../shell/overlays/dialog.tsx";
import { shortcutTexts } from "../texts/shortcuts.ts";
import "./shortcuts-dialog.css";

/** The list of keyboard shortcuts. */
export function ShortcutsDialog(props: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog
      open={props.open}
      onClose={() => props.onClose()}
      class="shortcuts-dialog"
      labelledBy="shortcuts-title"
      testId="shortcuts-dialog"
    >
      <DialogHead
        id="shortcuts-title"
        title={shortcutTexts.title}
        closeLabel={shortcutTexts.close}
        closeTestId="close-shortcuts"
        onClose={() => props.onClose()}
      />
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
    </Dialog>
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
