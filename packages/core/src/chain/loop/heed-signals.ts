import { abortError } from "./chain-ending.ts";
import type { ChainError } from "../journal/chain-result.ts";

/** Calls back when one of the signals aborts, or has aborted, until it is disposed of. */
export function heed(
  signals: readonly (AbortSignal | undefined)[],
  stop: (error: ChainError) => void,
): Disposable {
  const heeded: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const onAbort = () => stop(abortError(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    heeded.push(() => signal.removeEventListener("abort", onAbort));
  }
  return { [Symbol.dispose]: () => heeded.forEach((leave) => leave()) };
}
