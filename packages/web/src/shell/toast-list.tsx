import { For, Show } from "solid-js";
import { dismissToast, shownToasts, takeToastAction } from "../state/toasts.ts";
import { IconButton } from "./button.tsx";
import { shellTexts } from "../texts/shell.ts";
import "./toast-list.css";

/** Toasts at the bottom of the page, newest last. Screen readers announce them politely. */
export function ToastList() {
  return (
    <div class="toasts row" role="status" aria-live="polite" data-testid="toasts">
      <For each={shownToasts()}>
        {(toast) => (
          <div class="toast" classList={{ danger: toast.tone === "danger" }} data-testid="toast">
            <span>{toast.text}</span>
            <Show when={toast.action}>
              {(action) => (
                <button
                  type="button"
                  class="toast-action bare"
                  data-testid="toast-action"
                  onClick={() => takeToastAction(toast.id)}
                >
                  {action().label}
                </button>
              )}
            </Show>
            <IconButton
              icon="close"
              size={14}
              label={shellTexts.dismiss}
              onClick={() => dismissToast(toast.id)}
            />
          </div>
        )}
      </For>
    </div>
  );
}
