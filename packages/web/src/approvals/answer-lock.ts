import { createSignal } from "solid-js";

/**
 * Milliseconds after an answer in which cards accept no further answer. The next card moves up
 * under the pointer, so a double click would answer it.
 */
const pauseMs = 400;

const [isResting, setResting] = createSignal(false);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether answers are blocked, because the user just answered or a card just appeared. */
export const areAnswersLocked = isResting;

/** Blocks answers to all cards for a moment. */
export function lockAnswers(): void {
  setResting(true);
  clearTimeout(timer);
  timer = setTimeout(() => setResting(false), pauseMs);
}
