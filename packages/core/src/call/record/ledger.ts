import { callDigest } from "../../policy/approval.ts";
import type { CallRecord } from "./call-record.ts";
import { isSettled } from "./call-status.ts";

/**
 * Where the states of calls are written, each before anything follows from it: `started` before
 * the tool is touched, the end before anybody is told. A record replaces the one with its
 * `callId`. What is thrown stops the call: it is not touched, or nobody is told.
 */
export interface Ledger {
  record(call: CallRecord): void | Promise<void>;
}

/**
 * SHA-256 of a call's resolved arguments, with the contents of the variables that an approval covers;
 * equal for equal ones; undefined for a call that
 * had no valid ones.
 */
export function argumentsDigest({
  args,
  approval,
  edited,
  variables,
}: CallRecord): string | undefined {
  if (approval !== undefined && edited !== true) return approval.argsDigest;
  return args === undefined ? undefined : callDigest(args, variables);
}

/**
 * A ledger in memory. Beyond its capacity the oldest calls that have ended are forgotten.
 *
 * @example
 * const ledger = new MemoryLedger();
 * const executor = new ToolExecutor({ ledger });
 * await executor.execute("Add", { a: 1, b: 2 });
 * ledger.list()[0]?.status; // "succeeded"
 */
export class MemoryLedger implements Ledger {
  readonly #capacity: number;
  readonly #calls = new Map<string, CallRecord>();
  /** How many calls there may be before some are forgotten. */
  #most: number;

  /** @param options.capacity calls that are kept. @default 10000 */
  constructor(options: { readonly capacity?: number } = {}) {
    this.#capacity = options.capacity ?? 10_000;
    this.#most = this.#capacity;
  }

  record(call: CallRecord): void {
    this.#calls.set(call.callId, call);
    if (this.#calls.size > this.#most) this.#forget();
  }

  get(callId: string): CallRecord | undefined {
    return this.#calls.get(callId);
  }

  /** In the order in which the calls were proposed. */
  list(): readonly CallRecord[] {
    return [...this.#calls.values()];
  }

  /** Some at a time, so that making room costs next to nothing a call. */
  #forget(): void {
    const some = Math.floor(this.#capacity / 8);
    for (const { callId, status } of this.#calls.values()) {
      if (this.#calls.size <= this.#capacity - some) break;
      if (isSettled(status)) this.#calls.delete(callId);
    }
    // Where most calls still wait, they are not looked through again for each one.
    this.#most = Math.max(this.#capacity, this.#calls.size + some);
  }
}
