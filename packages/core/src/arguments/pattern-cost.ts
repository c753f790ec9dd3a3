/** How long a backtracking engine may search, as far as the pattern's own text tells. */
export interface PatternCost {
  /** Ways to match in which the length of the text plays no part; Infinity: exponentially many. */
  readonly ways: number;
  /** Steps grow with the length of the text to this power. */
  readonly degree: number;
}

/** Repetitions up to here are counted as ways, above as growing with the text. */
const fewRepetitions = 16;
const hopeless: PatternCost = { ways: Infinity, degree: 0 };
const one: PatternCost = { ways: 1, degree: 0 };

/**
 * Estimates, from above, how a pattern behaves at its worst. Repetitions within repetitions and
 * alternatives under an unbounded repetition are taken for exponential, as are back references;
 * neighbouring repetitions multiply.
 *
 * @example patternCost("^(a+)+$").ways // Infinity
 * @example patternCost("^[a-z]+$") // { ways: 1, degree: 1 }
 */
export function patternCost(source: string): PatternCost {
  let at = 0;

  function alternatives(depth: number): PatternCost {
    let [ways, degree] = [0, 0];
    do {
      if (source[at] === "|") at += 1;
      const next = sequence(depth);
      ways += next.ways;
      degree = Math.max(degree, next.degree);
    } while (source[at] === "|");
    return { ways, degree };
  }

  function sequence(depth: number): PatternCost {
    let [ways, degree] = [1, 0];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") {
      const next = quantified(atom(depth));
      ways *= next.ways;
      degree += next.degree;
    }
    return { ways, degree };
  }

  function atom(depth: number): PatternCost {
    const char = source[at++];
    if (char === "\\") {
      const escaped = source[at++] ?? "";
      return /[1-9k]/.test(escaped) ? hopeless : one;
    }
    if (char === "[") skipClass();
    if (char !== "(") return one;
    if (depth > 50) return hopeless;
    at += /^\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)/.exec(source.slice(at, at + 100))?.[0].length ?? 0;
    const inner = alternatives(depth + 1);
    at += 1;
    return inner;
  }

  function skipClass(): void {
    while (at < source.length && source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
    at += 1;
  }

  function quantified(inner: PatternCost): PatternCost {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 24));
    if (!found) return inner;
    at += found[0].length;
    const [, sign, low, comma, high] = found;
    const min = sign === undefined ? Number(low) : sign === "+" ? 1 : 0;
    const max =
      sign === undefined
        ? comma === ""
          ? min
          : high === ""
            ? Infinity
            : Number(high)
        : sign === "?"
          ? 1
          : Infinity;
    return repeated(inner, min, max);
  }

  const whole = alternatives(0);
  const isAnchored = source.startsWith("^") && !source.includes("|");
  // Without an anchor the search begins anew at every place in the text.
  return isAnchored || whole.degree === 0 ? whole : { ways: whole.ways, degree: whole.degree + 1 };
}

/** Steps that a search in a text of this length takes at most. */
export function stepsOf({ ways, degree }: PatternCost, length: number): number {
  return ways * length ** degree;
}

function repeated(inner: PatternCost, min: number, max: number): PatternCost {
  if (max <= 1) return { ways: inner.ways + (min === max ? 0 : 1), degree: inner.degree };
  const isSimple = inner.ways === 1 && inner.degree === 0;
  if (isSimple && min === max) return one;
  if (isSimple && max - min < fewRepetitions) return { ways: max - min + 1, degree: 0 };
  if (isSimple) return { ways: 1, degree: 1 };
  if (max > fewRepetitions) return hopeless;
  return { ways: inner.ways ** max * (max - min + 1), degree: inner.degree * max };
}
