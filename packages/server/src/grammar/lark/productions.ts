import { type AutomatonState, compileExpression } from "../regular/compile-expression.ts";
import { GrammarError } from "./grammar-error.ts";
import { type Expression, isTerminal, readGrammar } from "./read-grammar.ts";
import { terminalSource } from "./terminal-source.ts";

/** A terminal of a grammar in plain productions. */
export interface Terminal {
  /** The name for messages. */
  readonly title: string;
  readonly start: AutomatonState;
}

/** A symbol: a terminal, or the number of a nonterminal. */
export type GrammarSymbol = Terminal | number;

/** A grammar in plain productions: nonterminals are numbers, and 0 is the start. */
export interface Productions {
  /** The alternatives of each nonterminal. */
  readonly alternatives: readonly (readonly (readonly GrammarSymbol[])[])[];
  readonly nullable: readonly boolean[];
  readonly ignored: readonly Terminal[];
}

/** The maximum number of symbols of all productions together. */
const maxSymbols = 20_000;

/**
 * Turns the text of a Lark grammar into plain productions. A repetition becomes a left-recursive
 * nonterminal, so that long lists take linear time.
 *
 * @throws GrammarError
 */
export function readProductions(text: string): Productions {
  const grammar = readGrammar(text);
  const numbers = new Map<string, number>();
  const alternatives: (readonly GrammarSymbol[])[][] = [];
  const terminals = new Map<string, Terminal>();
  let symbols = 0;

  const add = (): number => alternatives.push([]) - 1;
  const put = (nonterminal: number, production: readonly GrammarSymbol[]): void => {
    symbols += production.length + 1;
    if (symbols > maxSymbols) throw new GrammarError(`more than ${maxSymbols} symbols.`);
    alternatives[nonterminal]?.push(production);
  };
  const terminal = (expression: Expression, title: string): Terminal => {
    const { source, flags } = terminalSource(expression, grammar);
    const key = `${flags}/${source}`;
    const known = terminals.get(key);
    if (known !== undefined) return known;
    const compiled = compileExpression(source, flags);
    if (compiled.status === "invalid")
      throw new GrammarError(`the terminal ${title}: ${compiled.message}`, lineOf(expression));
    const made = { title, start: compiled.start };
    terminals.set(key, made);
    return made;
  };
  const symbolsOf = (expression: Expression): readonly GrammarSymbol[] => {
    switch (expression.type) {
      case "string":
        // An empty terminal would match everywhere without progress.
        return expression.text === ""
          ? []
          : [terminal(expression, JSON.stringify(expression.text))];
      case "regex":
        return [terminal(expression, `/${expression.source}/`)];
      case "range":
        return [terminal(expression, `"${expression.from}".."${expression.to}"`)];
      case "name": {
        const { name, line } = expression;
        if (isTerminal(name)) {
          const defined = grammar.terminals.get(name);
          if (defined === undefined) throw new GrammarError(`${name} is not defined.`, line);
          return [terminal(defined, name)];
        }
        const number = numbers.get(name);
        if (number === undefined) throw new GrammarError(`${name} is not defined.`, line);
        return [number];
      }
      case "sequence":
        return expression.parts.flatMap(symbolsOf);
      case "choice": {
        const nonterminal = add();
        for (const part of expression.parts) put(nonterminal, symbolsOf(part));
        return [nonterminal];
      }
      case "repeat":
        return repetition(expression);
    }
  };
  const repetition = (expression: Extract<Expression, { type: "repeat" }>) => {
    const { part, min, max } = expression;
    const once = symbolsOf(part);
    const result: GrammarSymbol[] = [];
    for (let n = 0; n < min; n++) {
      result.push(...once);
      if (result.length > maxSymbols) throw new GrammarError(`more than ${maxSymbols} symbols.`);
    }
    if (max === Infinity) {
      const list = add();
      put(list, []);
      put(list, [list, ...once]);
      return [...result, list];
    }
    let rest: number | undefined;
    for (let n = min; n < max; n++) {
      const optional = add();
      put(optional, []);
      put(optional, rest === undefined ? once : [...once, rest]);
      rest = optional;
    }
    return rest === undefined ? result : [...result, rest];
  };

  for (const name of ["start", ...grammar.rules.keys()])
    if (!numbers.has(name)) numbers.set(name, add());
  for (const [name, expression] of grammar.rules) {
    const number = numbers.get(name) ?? 0;
    const parts = expression.type === "choice" ? expression.parts : [expression];
    for (const part of parts) put(number, symbolsOf(part));
  }
  const ignored = grammar.ignored.map((expression) => terminal(expression, "ignored text"));
  return { alternatives, nullable: nullableOf(alternatives), ignored };
}

function lineOf(expression: Expression): number | undefined {
  return "line" in expression ? expression.line : undefined;
}

/** Returns which nonterminals match the empty text. */
function nullableOf(
  alternatives: readonly (readonly (readonly GrammarSymbol[])[])[],
): readonly boolean[] {
  const nullable = alternatives.map(() => false);
  const isEmpty = (symbol: GrammarSymbol): boolean =>
    typeof symbol === "number" ? nullable[symbol] === true : symbol.start.isFinal;
  for (let changed = true; changed;) {
    changed = false;
    for (const [number, productions] of alternatives.entries()) {
      if (nullable[number] === true || !productions.some((each) => each.every(isEmpty))) continue;
      nullable[number] = true;
      changed = true;
    }
  }
  return nullable;
}
