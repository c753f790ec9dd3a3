import type { Budget } from "../regular/grammar-budget.ts";
import type { CompiledProductions, GrammarSymbol, Terminal } from "./productions.ts";

/** The possible continuations of a text: some terminals, or its end. */
export interface Lookahead {
  readonly terminals: readonly Terminal[];
  readonly end: boolean;
}

/** Returns the possible continuations after a position in a production of a nonterminal. */
export type LookaheadOf = (
  nonterminal: number,
  production: readonly GrammarSymbol[],
  dot: number,
) => Lookahead;

/** Creates the lookahead of one check, whose steps count against a budget. */
export function createLookahead(
  { nullable, continuations: { first, follow } }: CompiledProductions,
  steps: Budget,
): LookaheadOf {
  const collect: LookaheadOf = (nonterminal, production, dot) => {
    const terminals = new Set<Terminal>();
    const add = (terminal: Terminal): void => {
      steps.spend();
      terminals.add(terminal);
    };
    for (let at = dot; at < production.length; at++) {
      steps.spend();
      const symbol = production[at];
      if (symbol === undefined) break;
      if (typeof symbol !== "number") add(symbol);
      else for (const terminal of first[symbol] ?? []) add(terminal);
      const isEmpty = typeof symbol === "number" ? nullable[symbol] : symbol.start.isFinal;
      if (isEmpty !== true) return { terminals: [...terminals], end: false };
    }
    let end = false;
    for (const next of follow[nonterminal] ?? [])
      if (next === "end") end = true;
      else add(next);
    return { terminals: [...terminals], end };
  };

  const known = new Map<readonly GrammarSymbol[], (Lookahead | undefined)[]>();
  return (nonterminal, production, dot) => {
    const byDot = known.get(production) ?? [];
    known.set(production, byDot);
    byDot[dot] ??= collect(nonterminal, production, dot);
    return byDot[dot];
  };
}
