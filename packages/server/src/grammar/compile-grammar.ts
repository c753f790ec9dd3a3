import { LruCache, type TextGrammar } from "@capstan/core/host";
import { textProblem } from "./lark/check-text.ts";
import { GrammarError } from "./lark/grammar-error.ts";
import { readProductions } from "./lark/productions.ts";
import { compileExpression, matchesWhole } from "./regular/compile-expression.ts";
import type { GrammarCost } from "./regular/grammar-budget.ts";

/** The longest definition of a grammar, in characters. */
export const longestGrammar = 50_000;

/** A grammar that can check texts, or why it cannot be used. */
export type CompiledGrammar =
  | {
      readonly status: "compiled";
      /** Returns why a text does not match, or `undefined` if it does. */
      readonly problem: (text: string) => string | undefined;
      readonly cost: GrammarCost;
    }
  | { readonly status: "invalid"; readonly message: string };

/** The maximum size of all cached grammars together: their states, and a fifth of their steps. */
const cacheCapacity = 250_000;

const compiled = new LruCache<string, CompiledGrammar & { readonly size: number }>(
  cacheCapacity,
  ({ size }) => size,
);

/**
 * Compiles a grammar of a custom tool. The check of a text takes linear time for regular
 * expressions, and a limited number of steps for each character for Lark grammars.
 */
export function compileGrammar({ syntax, definition }: TextGrammar): CompiledGrammar {
  const key = `${syntax} ${definition}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = syntax === "regex" ? compileRegex(definition) : compileLark(definition);
  const { states, steps } = made.status === "compiled" ? made.cost : { states: 0, steps: 0 };
  compiled.set(key, { ...made, size: states + Math.max(steps, key.length) / 5 });
  return made;
}

/** Returns why a text does not match a grammar, or `undefined` if it does. */
export function grammarProblem(grammar: TextGrammar, text: string): string | undefined {
  const made = compileGrammar(grammar);
  // The grammar was checked with its request, by this or an earlier version of the server.
  return made.status === "invalid" ? undefined : made.problem(text);
}

function compileRegex(definition: string): CompiledGrammar {
  // The expression has to match the whole text, so the outer anchors add nothing.
  const source = definition.replace(/^\^/, "").replace(/(?<!\\)((?:\\\\)*)\$$/, "$1");
  const result = compileExpression(source);
  if (result.status === "invalid")
    return {
      status: "invalid",
      message: `the regular expression cannot be used: ${result.message}`,
    };
  const { start, states, ranges, visits } = result;
  const shown = JSON.stringify(definition.slice(0, 200));
  return {
    status: "compiled",
    cost: { states, ranges, visits, steps: definition.length },
    problem: (text) =>
      matchesWhole(start, text)
        ? undefined
        : `the whole input must match the regular expression ${shown}.`,
  };
}

function compileLark(definition: string): CompiledGrammar {
  try {
    const productions = readProductions(definition);
    const { cost } = productions;
    return { status: "compiled", cost, problem: (text) => textProblem(productions, text) };
  } catch (thrown) {
    if (!(thrown instanceof GrammarError)) throw thrown;
    return {
      status: "invalid",
      message: `the Lark grammar cannot be used: ${thrown.message}`,
    };
  }
}
