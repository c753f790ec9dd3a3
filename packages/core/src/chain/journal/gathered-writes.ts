import type { JournalWrite } from "./journal.ts";

/** What a chain says until its journal takes it, in order. */
export class GatheredWrites {
  readonly writes: JournalWrite[] = [];
  /** Where calls stand that are allowed, and may start in the same commit. */
  #allowed: Map<string, number> | undefined;
  #waiter: PromiseWithResolvers<boolean> | undefined;

  add(write: JournalWrite): void {
    if (write.type === "call" && this.#startsHere(write.call)) return;
    this.writes.push(write);
  }

  /** Whether it was written, for all who wait for that. */
  written(): Promise<boolean> {
    this.#waiter ??= Promise.withResolvers();
    return this.#waiter.promise;
  }

  /** The journal has it, or will have it, or never. */
  tell(written: boolean | Promise<boolean>): void {
    this.#waiter?.resolve(written);
  }

  /** A call that starts in the commit that allows it: one row says both. */
  #startsHere(call: Extract<JournalWrite, { readonly type: "call" }>["call"]): boolean {
    const { callId, status } = call;
    if (status === "approved") {
      (this.#allowed ??= new Map()).set(callId, this.writes.length);
      return false;
    }
    const place = this.#allowed?.get(callId);
    if (place === undefined) return false;
    this.#allowed?.delete(callId);
    if (status !== "started") return false;
    this.writes[place] = { type: "call", call };
    return true;
  }
}
