import type { JournalWrite } from "./journal.ts";

/** The writes that the next commit takes, in order. */
export class WriteBatch {
  readonly writes: JournalWrite[] = [];
  /** Indexes of calls that are allowed and may start in the same commit. */
  #allowed: Map<string, number> | undefined;
  #waiter: PromiseWithResolvers<boolean> | undefined;

  add(write: JournalWrite): void {
    if (write.type === "call" && this.#replacesAllowed(write.call)) return;
    this.writes.push(write);
  }

  /** Resolves to whether the batch was committed. */
  committed(): Promise<boolean> {
    this.#waiter ??= Promise.withResolvers();
    return this.#waiter.promise;
  }

  /** Reports the outcome of the commit. */
  resolve(committed: boolean | Promise<boolean>): void {
    this.#waiter?.resolve(committed);
  }

  /** A call that starts in the commit that allows it: one row says both. */
  #replacesAllowed(call: Extract<JournalWrite, { readonly type: "call" }>["call"]): boolean {
    const { callId, status } = call;
    if (status === "approved") {
      (this.#allowed ??= new Map()).set(callId, this.writes.length);
      return false;
    }
    const index = this.#allowed?.get(callId);
    if (index === undefined) return false;
    this.#allowed?.delete(callId);
    if (status !== "started") return false;
    this.writes[index] = { type: "call", call };
    return true;
  }
}
