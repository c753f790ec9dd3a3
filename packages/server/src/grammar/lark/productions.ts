import { type AutomatonState, compileExpression } from "../regular/compile-expression.ts";
import {
  createBudget,
  type Budget,
  type GrammarCost,
  grammarLimits,
} from "../regular/grammar-budget.ts";
import { type Continuations, continuationsOf } from "./continuations.ts";
import { GrammarError } from "./grammar-error.ts";
import { type Expression, isTerminal, readGrammar } from "./read-grammar.ts";
import { type TerminalSource, terminalSource } from "./terminal-source.ts";

/** A terminal of a grammar in plain productions. */
export interface Terminal {
  /** The name in error messages. */
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

/** Productions with everything that a check needs, and the cost of compiling them. */
export interface CompiledProductions extends Productions {
  readonly continuations: Continuations;
  readonly cost: GrammarCost;
}

/** The maximum number of symbols of all productions together. */
const maxSymbols = 20_000;

/**
 * Turns the text of a Lark grammar into plain productions. A repetition becomes a left-recursive
 * nonterminal, so that long lists take linear time.
 *
 * @throws GrammarError for unsupported parts, and if the grammar exceeds a limit
 */
export function readProductions(text: string): CompiledProductions {
  const grammar = readGrammar(text);
  const tooLarge = (unit: keyof GrammarCost) =>
    new GrammarError(
      `the grammar needs more than ${grammarLimits[unit]} ${unit} in all. Use fewer rules and terminals, or shorter ones.`,
    );
  const states = createBudget(grammarLimits.states, () => tooLarge("states"));
  const ranges = createBudget(grammarLimits.ranges, () => tooLarge("ranges"));
  const visits = createBudget(grammarLimits.visits, () => tooLarge("visits"));
  const steps = createBudget(grammarLimits.steps, () => tooLarge("steps"));
  steps.spend(text.length);
  const numbers = new Map<string, number>();
  const alternatives: (readonly GrammarSymbol[])[][] = [];
  const terminals = new Map<string, Terminal>();
  const byExpression = new Map<Expression, Terminal>();
  let symbols = 0;

  const add = (): number => alternatives.push([]) - 1;
  const put = (nonterminal: number, production: readonly GrammarSymbol[]): void => {
    symbols += production.length + 1;
    if (symbols > maxSymbols) throw new GrammarError(`more than ${maxSymbols} symbols.`);
    alternatives[nonterminal]?.push(production);
  };
  const terminal = (expression: Expression, title: string): Terminal => {
    const known = byExpression.get(expression);
    if (known !== undefined) return known;
    const { source, flags } = terminalSource(expression, { terminals: grammar.terminals, steps });
    const key = `${flags}/${source}`;
    const made = terminals.get(key) ?? compiledTerminal({ expression, title, source, flags });
    terminals.set(key, made);
    byExpression.set(expression, made);
    return made;
  };
  const compiledTerminal = ({
    expression,
    title,
    source,
    flags,
  }: TerminalSource & { readonly expression: Expression; readonly title: string }): Terminal => {
    steps.spend(source.length);
    const left = { states: states.left(), ranges: ranges.left(), visits: visits.left() };
    const compiled = compileExpression(source, flags, left);
    if (compiled.status === "invalid")
      throw new GrammarError(`the terminal ${title}: ${compiled.message}`, lineOf(expression));
    states.spend(compiled.states);
    ranges.spend(compiled.ranges);
    visits.spend(compiled.visits);
    return { title, start: compiled.start };
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
      steps.spend(once.length);
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
  const productions = { alternatives, nullable: nullableOf(alternatives, steps), ignored };
  const continuations = continuationsOf(productions, steps);
  const cost = {
    states: states.spent(),
    ranges: ranges.spent(),
    visits: visits.spent(),
    steps: steps.spent(),
  };
  return { ...productions, continuations, cost };
}

function lineOf(expression: Expression): number | undefined {
  return "line" in expression ? expression.line : undefined;
}

/** Returns which nonterminals match the empty text. */
function nullableOf(
  alternatives: readonly (readonly (readonly GrammarSymbol[])[])[],
  steps: Budget,
): readonly boolean[] {
  const nullable = alternatives.map(() => false);
  const isEmpty = (symbol: GrammarSymbol): boolean => {
    steps.spend();
    return typeof symbol === "number" ? nullable[symbol] === true : symbol.start.isFinal;
  };
  for (let changed = true; changed;) {
    changed = false;
    for (const [number, productions] of alternatives.entries()) {
      steps.spend();
      if (nullable[number] === true || !productions.some((each) => each.every(isEmpty))) continue;
      nullable[number] = true;
      changed = true;
    }
  }
  return nullable;
}
