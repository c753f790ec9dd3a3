import { setTimeout as delay } from "node:timers/promises";
import { largestMessage, mostValues } from "./message-limits.ts";

/** The cost of a JSON value, in bytes: parsing and reading a value takes as long. */
const valueCost = 20;

/** The maximum cost of the answer to a request. */
const answerCost = largestMessage + valueCost * mostValues;

/** The output of a server per second, in bytes, that answers no request. */
const unaskedPerSecond = 1024 * 1024;

/** The output in bytes that a server can send at once without delay. */
const unaskedAtOnce = 4 * unaskedPerSecond;

/** Limits the rate of a server's output. */
export interface OutputLimit {
  /** Returns a promise for the time to wait before the next read; undefined if there is none. */
  readonly take: (size: {
    readonly bytes: number;
    readonly values: number;
  }) => Promise<void> | undefined;
}

/** Limits a server's messages that answer no request. */
export interface MessageBudget extends OutputLimit {
  /** Called when a request is sent: its answer may be as large as the largest message. */
  readonly onRequest: () => void;
  /** Called when a request was answered. */
  readonly onAnswer: () => void;
}

/**
 * Limits the unsolicited messages of a server, for example notifications, because each takes time on
 * the event loop. A server that sends more is read more slowly.
 */
export function messageBudget(): MessageBudget {
  const unasked = outputLimit();
  let open = 0;
  let granted = 0;
  return {
    onRequest() {
      open += 1;
      granted += answerCost;
    },
    onAnswer() {
      open = Math.max(0, open - 1);
      granted = Math.min(granted, open * answerCost);
    },
    take({ bytes, values }) {
      const cost = bytes + valueCost * values;
      const used = Math.min(granted, cost);
      granted -= used;
      return unasked.take({ bytes: cost - used, values: 0 });
    },
  };
}

/** Limits output to a rate, after a first amount that is not delayed. */
export function outputLimit(): OutputLimit {
  let left = unaskedAtOnce;
  let at = performance.now();
  return {
    take({ bytes, values }) {
      const now = performance.now();
      left = Math.min(unaskedAtOnce, left + ((now - at) / 1_000) * unaskedPerSecond);
      at = now;
      left -= bytes + valueCost * values;
      if (left >= 0) return undefined;
      return delay((-left / unaskedPerSecond) * 1_000, undefined, { ref: false });
    },
  };
}
