import type { TextGrammar } from "@capstan/core/host";
import { type CompiledGrammar, compileGrammar } from "./compile-grammar.ts";
import type { GrammarCost } from "./regular/grammar-budget.ts";

/** The maximum cost of all different grammars of one request. */
const requestLimits: GrammarCost = {
  states: 10_000,
  ranges: 100_000,
  visits: 100_000,
  steps: 2_000_000,
};

/** Compiles the grammars of one request, which share a budget. */
export interface RequestGrammars {
  compile(grammar: TextGrammar): CompiledGrammar;
}

/** Creates the budget of a request's grammars. */
export function createRequestGrammars(): RequestGrammars {
  const seen = new Set<string>();
  let [states, ranges, visits, steps] = [0, 0, 0, 0];
  return {
    compile(grammar) {
      const made = compileGrammar(grammar);
      const key = `${grammar.syntax} ${grammar.definition}`;
      if (made.status === "invalid" || seen.has(key)) return made;
      seen.add(key);
      states += made.cost.states;
      ranges += made.cost.ranges;
      visits += made.cost.visits;
      steps += made.cost.steps;
      const total: GrammarCost = { states, ranges, visits, steps };
      const units = ["states", "ranges", "visits", "steps"] as const;
      const exceeded = units.find((unit) => total[unit] > requestLimits[unit]);
      if (exceeded === undefined) return made;
      const message = `the grammars of the request need more than ${requestLimits[exceeded]} ${exceeded} together. Declare fewer tools with grammars, or use shorter grammars.`;
      return { status: "invalid", message };
    },
  };
}
