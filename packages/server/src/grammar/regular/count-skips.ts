import type * as Refa from "refa";

/** The positions at which the matches of an expression can begin and end, as numbers. */
interface Ends {
  readonly first: number;
  readonly last: number;
  readonly isNullable: boolean;
}

/**
 * Returns the number of edges that an automaton needs in addition to one for each of its states.
 * Optional parts in a row need an edge from each part to each later one. Counts at most a few more
 * than the limit, because repetitions can be long.
 */
export function countSkips(expression: Refa.Expression, limit: number): number {
  let skips = 0;
  const empty: Ends = { first: 0, last: 0, isNullable: true };

  const join = (one: Ends, other: Ends): Ends => {
    skips += Math.max(0, one.last - 1) * other.first;
    return {
      first: one.first + (one.isNullable ? other.first : 0),
      last: other.last + (other.isNullable ? one.last : 0),
      isNullable: one.isNullable && other.isNullable,
    };
  };
  const repeat = (part: Ends, min: number, max: number): Ends => {
    let all = empty;
    // From the end, because optional repetitions nest: `(a(a)?)?`.
    const count = Number.isFinite(max) ? max : Math.max(min, 1);
    for (let n = count; n > 0 && skips <= limit; n--) {
      const joined = join(part, all);
      all = n > min ? { ...joined, isNullable: true } : joined;
      // The states are limited too, and each repetition has at least one.
      if (count - n > 10_000) break;
    }
    return min === 0 ? { ...all, isNullable: true } : all;
  };
  const any = (parts: readonly Refa.Concatenation[]): Ends => {
    const ends = parts.map(ofSequence);
    return {
      first: ends.reduce((sum, { first }) => sum + first, 0),
      last: ends.reduce((sum, { last }) => sum + last, 0),
      isNullable: ends.some(({ isNullable }) => isNullable),
    };
  };
  const ofSequence = ({ elements }: Refa.Concatenation): Ends =>
    elements.reduce<Ends>((ends, element) => join(ends, ofElement(element)), empty);
  const ofElement = (element: Refa.Element): Ends => {
    switch (element.type) {
      case "CharacterClass":
        return { first: 1, last: 1, isNullable: false };
      case "Quantifier":
        return repeat(any(element.alternatives), element.min, element.max);
      case "Alternation":
        return any(element.alternatives);
      default:
        return empty;
    }
  };

  any(expression.alternatives);
  return skips;
}
