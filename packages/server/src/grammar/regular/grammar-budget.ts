/** The cost of compiling grammars: an amount used, or a limit. */
export interface GrammarCost {
  /** States of automata. */
  readonly states: number;
  /** Ranges of characters: classes such as `\p{L}` have hundreds. */
  readonly ranges: number;
  /** Visits of edges while automata are built. A million take about half a second. */
  readonly visits: number;
  /** Steps of everything else: characters that are read, and visits of symbols. */
  readonly steps: number;
}

/** The maximum cost of one grammar. */
export const grammarLimits: GrammarCost = {
  states: 5_000,
  ranges: 50_000,
  visits: 60_000,
  steps: 1_000_000,
};

/** A limited resource. */
export interface Budget {
  /** @throws the budget's error if less than the amount is left */
  spend(amount?: number): void;
  spent(): number;
  left(): number;
}

/** Creates a budget. */
export function createBudget(limit: number, exceeded: () => Error): Budget {
  let left = limit;
  return {
    spend(amount = 1) {
      left -= amount;
      if (left < 0) throw exceeded();
    },
    spent: () => limit - left,
    left: () => left,
  };
}
