import { createSignal } from "solid-js";

/** How long after an answer no card takes another: cards move up under a pointer that clicks twice. */
const pauseMs = 400;

const [isResting, setResting] = createSignal(false);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether an answer was given a moment ago, or a card has just appeared. */
export const areAnswersLocked = isResting;

/** Lets no card be answered for a moment. */
export function lockAnswers(): void {
  setResting(true);
  clearTimeout(timer);
  timer = setTimeout(() => setResting(false), pauseMs);
}
