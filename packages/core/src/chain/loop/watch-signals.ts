import { abortError } from "./chain-ending.ts";
import type { ChainError } from "../journal/chain-result.ts";

/** Calls `stop` when one of the signals aborts, or has aborted, until it is disposed of. */
export function watchSignals(
  signals: readonly (AbortSignal | undefined)[],
  stop: (error: ChainError) => void,
): Disposable {
  const removers: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    const onAbort = () => stop(abortError(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    removers.push(() => signal.removeEventListener("abort", onAbort));
  }
  return { [Symbol.dispose]: () => removers.forEach((remove) => remove()) };
}
