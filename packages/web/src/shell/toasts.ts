import { createSignal } from "solid-js";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "plain" | "danger";
  readonly action?: { readonly label: string; readonly run: () => void };
}

export interface ToastOptions {
  readonly text: string;
  /** @default "plain" */
  readonly tone?: Toast["tone"];
  readonly action?: Toast["action"];
  /** Milliseconds until it goes. @default 6000 */
  readonly ms?: number;
}

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let lastId = 0;

/** The notes at the foot of the page. */
export const shownToasts = toasts;

/** Shows a note for a while. */
export function showToast(options: ToastOptions): void {
  const id = ++lastId;
  const { text, tone = "plain", action, ms = 6000 } = options;
  setToasts((all) => [...all.slice(-2), { id, text, tone, ...(action ? { action } : {}) }]);
  setTimeout(() => dismissToast(id), ms);
}

export function dismissToast(id: number): void {
  setToasts((all) => all.filter((toast) => toast.id !== id));
}
