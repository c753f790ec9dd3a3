import { onCleanup } from "solid-js";
import type { AppState } from "../state/app-state.ts";
import { routedPage } from "../state/route.ts";

/** Escape stops the turn, unless something nearer takes it: a dialog, a panel, a field being edited. */
export function bindStopKey(app: AppState): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    // Held down, it has already closed something nearer.
    if (event.repeat) return;
    // What is not shown is not stopped by chance.
    if (routedPage() !== "chat") return;
    if (document.querySelector("dialog[open]") !== null || app.chat.active() === null) return;
    event.preventDefault();
    void app.chat.stop();
  };
  document.addEventListener("keydown", onKey);
  onCleanup(() => document.removeEventListener("keydown", onKey));
}
