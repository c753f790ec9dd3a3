import { createEffect, onCleanup, type Accessor } from "solid-js";

/**
 * Behaves like a dialog while `active`: takes the focus, returns it when it closes, and closes on
 * Escape. The caller makes the rest of the page `inert`, which keeps Tab inside.
 */
export function bindOverlay(
  element: HTMLElement,
  active: Accessor<boolean>,
  close: () => void,
): void {
  createEffect(() => {
    if (!active()) return;
    const opener = document.activeElement;
    queueMicrotask(() => element.focus());
    onCleanup(() => {
      if (opener instanceof HTMLElement) queueMicrotask(() => opener.focus());
    });
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  });
}
