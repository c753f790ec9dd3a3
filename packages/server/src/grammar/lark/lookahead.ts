import type { GrammarSymbol, Productions, Terminal } from "./productions.ts";

/** The possible continuations of a text: some terminals, or its end. */
export interface Lookahead {
  readonly terminals: readonly Terminal[];
  readonly end: boolean;
}

/** Returns what can come after a position in a production of a nonterminal. */
export type LookaheadOf = (
  nonterminal: number,
  production: readonly GrammarSymbol[],
  dot: number,
) => Lookahead;

interface Sets {
  readonly terminals: Set<Terminal>;
  end: boolean;
}

/** Computes the terminals with which each nonterminal can begin, and those that can follow it. */
export function createLookahead({ alternatives, nullable }: Productions): LookaheadOf {
  const first = alternatives.map(() => new Set<Terminal>());
  const follow = alternatives.map((_each, number): Sets => ({
    terminals: new Set(),
    end: number === 0,
  }));

  /** Adds what can come after a dot to a set. */
  const collect = (
    nonterminal: number,
    production: readonly GrammarSymbol[],
    dot: number,
    into: Sets,
  ): void => {
    for (const symbol of production.slice(dot)) {
      if (typeof symbol !== "number") into.terminals.add(symbol);
      else for (const terminal of first[symbol] ?? []) into.terminals.add(terminal);
      const isEmpty = typeof symbol === "number" ? nullable[symbol] : symbol.start.isFinal;
      if (isEmpty !== true) return;
    }
    const after = follow[nonterminal];
    for (const terminal of after?.terminals ?? []) into.terminals.add(terminal);
    into.end ||= after?.end === true;
  };
  const each = (
    visit: (nonterminal: number, production: readonly GrammarSymbol[]) => void,
  ): void => {
    for (const [nonterminal, productions] of alternatives.entries())
      for (const production of productions) visit(nonterminal, production);
  };
  const untilStable = (sizeOf: () => number, step: () => void): void => {
    for (let size = -1; size !== sizeOf();) {
      size = sizeOf();
      step();
    }
  };

  untilStable(
    () => first.reduce((sum, { size }) => sum + size, 0),
    () =>
      each((nonterminal, production) => {
        for (const symbol of production) {
          if (typeof symbol !== "number") first[nonterminal]?.add(symbol);
          else for (const terminal of first[symbol] ?? []) first[nonterminal]?.add(terminal);
          const isEmpty = typeof symbol === "number" ? nullable[symbol] : symbol.start.isFinal;
          if (isEmpty !== true) return;
        }
      }),
  );
  untilStable(
    () => follow.reduce((sum, { terminals, end }) => sum + terminals.size + Number(end), 0),
    () =>
      each((nonterminal, production) => {
        for (const [index, symbol] of production.entries()) {
          const into = typeof symbol === "number" ? follow[symbol] : undefined;
          if (into !== undefined) collect(nonterminal, production, index + 1, into);
        }
      }),
  );

  const known = new Map<readonly GrammarSymbol[], (Lookahead | undefined)[]>();
  return (nonterminal, production, dot) => {
    const byDot = known.get(production) ?? [];
    known.set(production, byDot);
    let found = byDot[dot];
    if (found === undefined) {
      const into: Sets = { terminals: new Set(), end: false };
      collect(nonterminal, production, dot, into);
      found = { terminals: [...into.terminals], end: into.end };
      byDot[dot] = found;
    }
    return found;
  };
}
