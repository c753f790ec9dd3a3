import { createSignal } from "solid-js";

/** Milliseconds after an answer in which cards accept no other: cards move up under a pointer that clicks twice. */
const pauseMs = 400;

const [isResting, setResting] = createSignal(false);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether an answer was given a moment ago, or a card has just appeared. */
export const areAnswersLocked = isResting;

/** Blocks answers to all cards for a moment. */
export function lockAnswers(): void {
  setResting(true);
  clearTimeout(timer);
  timer = setTimeout(() => setResting(false), pauseMs);
}
