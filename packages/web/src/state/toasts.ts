import { createSignal } from "solid-js";
import { messageOf } from "../api/api-error.ts";
import { shellTexts } from "../texts/shell.ts";

export interface Toast extends ToastOptions {
  readonly id: number;
}

export interface ToastOptions {
  readonly text: string;
  /** @default "plain" */
  readonly tone?: "plain" | "danger";
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds until the toast disappears. @default 6000 */
  readonly ms?: number;
  /** Called if the toast disappears without a click on its action. */
  readonly onGone?: () => void;
}

/** The maximum number of visible toasts; a new one replaces the oldest. */
const most = 3;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let lastId = 0;

/** The visible toasts, newest last. */
export const shownToasts = toasts;

/** Shows a toast until it expires or is dismissed. */
export function showToast(options: ToastOptions): void {
  const id = ++lastId;
  for (const old of toasts().slice(0, 1 - most)) dismissToast(old.id);
  setToasts((all) => [...all, { ...options, id }]);
  setTimeout(() => dismissToast(id), options.ms ?? 6000);
}

/**
 * Runs an action; if it fails, shows a toast with the error.
 *
 * @param failed the start of the error text, for example `Could not delete the chat`
 * @returns whether the action succeeded
 */
export async function attempt(failed: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showToast({ text: shellTexts.failure(failed, messageOf(error)), tone: "danger" });
    return false;
  }
}

export function dismissToast(id: number): void {
  takeAway(id)?.onGone?.();
}

/** Runs the toast's action and removes the toast. */
export function takeToastAction(id: number): void {
  takeAway(id)?.action?.run();
}

function takeAway(id: number): Toast | undefined {
  const toast = toasts().find((shown) => shown.id === id);
  setToasts((all) => all.filter((shown) => shown.id !== id));
  return toast;
}
