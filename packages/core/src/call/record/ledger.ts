import { callDigest } from "../../policy/approval.ts";
import type { CallRecord } from "./call-record.ts";
import { isSettled } from "./call-status.ts";

/**
 * Stores the states of calls. Each state is stored before the call acts on it: `started` before the
 * tool is called, the end before the caller gets the result. A record replaces the one with the
 * same `callId`. If a method throws, the call stops: its tool is not called, or its caller gets no
 * result.
 */
export interface Ledger {
  record(call: CallRecord): void | Promise<void>;
}

/**
 * Returns the SHA-256 of a call's resolved arguments, including the contents of the variables that
 * an approval covers. Equal arguments have equal digests. Returns `undefined` for a call without
 * valid arguments.
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
 * A ledger in memory. Beyond its capacity it evicts the oldest calls that have ended.
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
  /** The number of calls at which the next eviction starts. */
  #most: number;

  /**
   * @param options.capacity the maximum number of calls. @default 10000
   */
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

  /** Returns the calls in the order of their proposal. */
  list(): readonly CallRecord[] {
    return [...this.#calls.values()];
  }

  /** Evicts calls in batches, so that each call takes little time. */
  #forget(): void {
    const some = Math.floor(this.#capacity / 8);
    for (const { callId, status } of this.#calls.values()) {
      if (this.#calls.size <= this.#capacity - some) break;
      if (isSettled(status)) this.#calls.delete(callId);
    }
    // If most calls still wait, the next eviction is postponed, so that not every new call causes a
    // scan.
    this.#most = Math.max(this.#capacity, this.#calls.size + some);
  }
}
