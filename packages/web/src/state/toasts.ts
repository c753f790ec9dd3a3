import { createSignal } from "solid-js";
import { messageOf } from "../api/api-error.ts";

export interface Toast extends ToastOptions {
  readonly id: number;
}

export interface ToastOptions {
  readonly text: string;
  /** @default "plain" */
  readonly tone?: "plain" | "danger";
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds until it goes. @default 6000 */
  readonly ms?: number;
  /** It went, and its action was not taken. */
  readonly onGone?: () => void;
}

/** How many are shown; the oldest makes room. */
const most = 3;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let lastId = 0;

/** The notes at the foot of the page. */
export const shownToasts = toasts;

/** Shows a note for a while. */
export function showToast(options: ToastOptions): void {
  const id = ++lastId;
  for (const old of toasts().slice(0, 1 - most)) dismissToast(old.id);
  setToasts((all) => [...all, { ...options, id }]);
  setTimeout(() => dismissToast(id), options.ms ?? 6000);
}

/**
 * Does something; if it fails, a note says so.
 *
 * @param failed how the note begins, for example `Not deleted`
 * @returns whether it went well
 */
export async function attempt(failed: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showToast({ text: `${failed}: ${messageOf(error)}`, tone: "danger" });
    return false;
  }
}

export function dismissToast(id: number): void {
  takeAway(id)?.onGone?.();
}

/** Does what the note offers. */
export function takeToastAction(id: number): void {
  takeAway(id)?.action?.run();
}

function takeAway(id: number): Toast | undefined {
  const toast = toasts().find((shown) => shown.id === id);
  setToasts((all) => all.filter((shown) => shown.id !== id));
  return toast;
}
