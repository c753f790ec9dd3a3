import { type Clock, type Variable, VariableSystem } from "@capstan/core";
import { LruCache } from "@capstan/core/host";

/** How long the variables and the keys of calls that are not stored stay in memory, in ms. */
export const unstoredMs = 600_000;

/** The number of principals whose variables are in memory. */
const maxPrincipals = 100;

interface Kept {
  readonly variables: VariableSystem;
  /** The number of the last result that was reserved. */
  count: number;
  stop: () => void;
}

/**
 * Creates a collection, in memory, of the variables of principals whose calls are not stored. A call
 * starts with the variables of its principal, and adds the changed ones when it has ended. They are
 * deleted after ten minutes without a call.
 */
export function createUnstoredVariables(clock: Clock) {
  const all = new LruCache<string, Kept>(maxPrincipals);

  function open(owner: string): Kept {
    const known = all.get(owner);
    const kept = known ?? { variables: new VariableSystem(), count: 0, stop: () => {} };
    kept.stop();
    kept.stop = clock.after(unstoredMs, () => {
      if (all.get(owner) === kept) all.delete(owner);
    });
    if (known === undefined) all.set(owner, kept);
    return kept;
  }

  return {
    /** Returns the variables with which a call starts, and the number of its first result. */
    begin(owner: string): {
      readonly variables: readonly Variable[];
      readonly firstResult: number;
    } {
      const kept = open(owner);
      kept.count = Math.max(kept.count, kept.variables.resultCount) + 1;
      return { variables: kept.variables.snapshot(), firstResult: kept.count };
    },

    /** Changes the variables of a principal. */
    edit(owner: string, change: (variables: VariableSystem) => void): void {
      change(open(owner).variables);
    },

    /** Returns the variables of a principal, if there are any. */
    of: (owner: string): VariableSystem | undefined => all.get(owner)?.variables,
  };
}
