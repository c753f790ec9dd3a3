import type { Ledger } from "../../call/record/ledger.ts";
import type { Journal } from "./journal.ts";

/**
 * A journal that keeps only the states of calls, in a ledger: for a chain that nobody carries on.
 *
 * @example runToolChain({ ...options, journal: ledgerJournal(ledger) })
 */
export function ledgerJournal(ledger: Ledger): Journal {
  return {
    async commit(writes) {
      for (const write of writes) if (write.type === "call") await ledger.record(write.call);
      return { status: "committed" };
    },
  };
}
