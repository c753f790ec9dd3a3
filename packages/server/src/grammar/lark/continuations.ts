import type { Budget } from "../regular/grammar-budget.ts";
import type { GrammarSymbol, Productions, Terminal } from "./productions.ts";

/** The terminals with which each nonterminal can begin, and those that can follow it. */
export interface Continuations {
  readonly first: readonly ReadonlySet<Terminal>[];
  readonly follow: readonly ReadonlySet<Terminal | "end">[];
}

/**
 * Computes the terminals with which each nonterminal can begin, and those that can follow it. Each
 * terminal is added once to each nonterminal.
 *
 * @throws the error of `steps` if that takes too many steps
 */
export function continuationsOf(
  { alternatives, nullable }: Productions,
  steps: Budget,
): Continuations {
  const isEmpty = (symbol: GrammarSymbol): boolean =>
    typeof symbol === "number" ? nullable[symbol] === true : symbol.start.isFinal;
  const first = createSets<Terminal>(alternatives.length, steps);
  for (const [nonterminal, productions] of alternatives.entries())
    for (const production of productions)
      for (const symbol of production) {
        steps.spend();
        if (typeof symbol === "number") first.include(symbol, nonterminal);
        else first.add(nonterminal, symbol);
        if (!isEmpty(symbol)) break;
      }
  first.propagate();
  const follow = createSets<Terminal | "end">(alternatives.length, steps);
  follow.add(0, "end");
  for (const [nonterminal, productions] of alternatives.entries())
    for (const production of productions)
      for (const [index, symbol] of production.entries()) {
        steps.spend();
        if (typeof symbol !== "number") continue;
        let isLast = true;
        for (let at = index + 1; at < production.length && isLast; at++) {
          const next = production[at];
          if (next === undefined) break;
          if (typeof next !== "number") follow.add(symbol, next);
          else for (const terminal of first.sets[next] ?? []) follow.add(symbol, terminal);
          steps.spend();
          isLast = isEmpty(next);
        }
        if (isLast) follow.include(nonterminal, symbol);
      }
  follow.propagate();
  return { first: first.sets, follow: follow.sets };
}

/** Creates sets. A set can include the members of others. */
function createSets<Value>(count: number, steps: Budget) {
  const sets = Array.from({ length: count }, () => new Set<Value>());
  const including = Array.from({ length: count }, () => new Set<number>());
  const added: (readonly [number, Value])[] = [];
  const add = (to: number, value: Value): void => {
    steps.spend();
    const set = sets[to];
    if (set === undefined || set.has(value)) return;
    set.add(value);
    added.push([to, value]);
  };
  return {
    sets,
    add,
    /** Makes the set `to` include all members of the set `from`, later ones too. */
    include(from: number, to: number): void {
      if (from !== to) including[from]?.add(to);
    },
    propagate(): void {
      for (let next = added.pop(); next !== undefined; next = added.pop())
        for (const to of including[next[0]] ?? []) add(to, next[1]);
    },
  };
}
