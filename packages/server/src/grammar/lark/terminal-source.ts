import { literalExpression } from "../regular/compile-expression.ts";
import type { Budget } from "../regular/grammar-budget.ts";
import { GrammarError } from "./grammar-error.ts";
import { type Expression, type Grammar, isTerminal } from "./read-grammar.ts";

/** A terminal as a regular expression. */
export interface TerminalSource {
  readonly source: string;
  readonly flags: string;
}

/** The longest regular expression of a terminal, in characters. */
const longestSource = 20_000;

/**
 * Returns an expression without rules as a regular expression.
 *
 * @throws GrammarError if it uses a rule, an unknown terminal or itself, or exceeds the budget
 */
export function terminalSource(
  expression: Expression,
  { terminals, steps }: Pick<Grammar, "terminals"> & { readonly steps: Budget },
): TerminalSource {
  if (expression.type === "regex") return expression;
  const only = onlyPart(expression);
  if (only?.type === "regex") return only;
  const open = new Set<string>();
  let length = 0;

  const sourceOf = (part: Expression): string => {
    const source = write(part);
    length += source.length;
    steps.spend(1 + source.length);
    if (length > longestSource * 10 || source.length > longestSource)
      throw new GrammarError("a terminal is too long when its parts are put together.");
    return source;
  };
  const write = (part: Expression): string => {
    switch (part.type) {
      case "string":
        return literalExpression(part.text, part);
      case "range":
        return rangeSource(part);
      case "regex":
        if (part.flags.includes("i") || part.flags.includes("s"))
          throw new GrammarError(
            "a regular expression with flags must be a terminal of its own.",
            part.line,
          );
        return `(?:${part.source})`;
      case "sequence":
        return part.parts.map(sourceOf).join("");
      case "choice":
        return `(?:${part.parts.map(sourceOf).join("|")})`;
      case "repeat": {
        const { min, max } = part;
        return `(?:${sourceOf(part.part)}){${min},${max === Infinity ? "" : max}}`;
      }
      case "name": {
        const { name, line } = part;
        const named = isTerminal(name) ? terminals.get(name) : undefined;
        if (named === undefined)
          throw new GrammarError(`a terminal uses ${name}, which is not a terminal.`, line);
        if (open.has(name)) throw new GrammarError(`the terminal ${name} uses itself.`, line);
        open.add(name);
        const source = sourceOf(named);
        open.delete(name);
        return `(?:${source})`;
      }
    }
  };
  return { source: sourceOf(expression), flags: "" };
}

/** Unwraps nested sequences that have only one part. */
function onlyPart(expression: Expression): Expression | undefined {
  let part: Expression | undefined = expression;
  while (part?.type === "sequence" && part.parts.length === 1) part = part.parts[0];
  return part;
}

function rangeSource({ from, to }: Extract<Expression, { type: "range" }>): string {
  const [first, last] = [Array.from(from), Array.from(to)];
  if (first.length !== 1 || last.length !== 1 || from > to)
    throw new GrammarError(`the range "${from}".."${to}" does not have two ordered characters.`);
  const [low, high] = [from, to].map((end) => literalExpression(end, { anyCase: false }));
  return `[${low}-${high}]`;
}
