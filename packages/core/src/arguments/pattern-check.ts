import { patternSize } from "./pattern-size.ts";

/**
 * Compiles a pattern on an engine that cannot hang (linear time), or returns undefined if the
 * engine does not support the pattern's syntax. It must match the same texts as JavaScript's own
 * engine.
 */
export type PatternEngine = (source: string) => ((text: string) => boolean) | undefined;

/** The steps of a backtracking engine that one validation may spend on costly patterns. */
export const maxPatternSteps = 2e7;
/**
 * Patterns up to this cost are not counted, because they are cheap on all texts of large arguments.
 */
const quickWays = [1_000, 100] as const;
const maxWays = 1e4;

/** The remaining steps of a validation; `left` starts at `maxPatternSteps`. */
export interface StepBudget {
  left: number;
}

/** Thrown by a pattern's test when the budget is used up. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

type PatternCheck =
  /** JavaScript's own engine is safe. */
  | { readonly status: "native" }
  | {
      readonly status: "checked";
      /**
       * @throws OutOfSteps if the test would take too long
       */
      readonly test: (text: string) => boolean;
      /** The time of a test on a text of this length, in units of about 50 ns. */
      readonly cost: (length: number) => number;
      /** A note that the pattern may not be enforced. */
      readonly note?: string;
    }
  | { readonly status: "unchecked"; readonly note: string }
  | { readonly status: "invalid"; readonly message: string };

/** Returns how an untrusted pattern can be enforced so that no text makes it hang. */
export function patternCheck(
  source: string,
  { engine, budget }: { engine?: PatternEngine | undefined; budget: StepBudget },
): PatternCheck {
  const shown = JSON.stringify(source.slice(0, 100));
  const unicode = regExp(source, "u");
  const native = unicode ?? regExp(source, "");
  if (!native) {
    // The engine may accept another language's syntax.
    const linear = engine?.(source);
    if (linear) return { status: "checked", test: linear, cost: linearCost(source) };
    return { status: "invalid", message: `The pattern ${shown} is not a regular expression.` };
  }
  const cost = patternCost(source);
  if (isQuick(cost)) {
    return unicode
      ? { status: "native" }
      : {
          status: "checked",
          test: (text) => native.test(text),
          cost: (length) => nativeCost(cost, length),
        };
  }
  const linear = engine?.(source);
  if (cost.ways > maxWays) {
    if (linear) return { status: "checked", test: linear, cost: linearCost(source) };
    const note = `The pattern ${shown} could take forever to test, so it is not enforced.`;
    return { status: "unchecked", note };
  }
  const test = (text: string): boolean => {
    const steps = stepsOf(cost, text.length);
    if (steps <= budget.left) {
      budget.left -= steps;
      return native.test(text);
    }
    if (!linear) throw new OutOfSteps();
    return linear(text);
  };
  const ofEngine = linearCost(source);
  if (linear)
    return {
      status: "checked",
      test,
      cost: (length) => Math.min(nativeCost(cost, length), ofEngine(length)),
    };
  // Its steps are limited, and it is not enforced beyond the limit.
  return {
    status: "checked",
    test,
    cost: () => 0,
    note: `The pattern ${shown} ${notOnLong(cost)}.`,
  };
}

/** Returns the cost of a test by JavaScript's own engine, in units of about 50 ns. */
export function nativeCost({ ways, degree }: PatternCost, length: number): number {
  return (ways * Math.max(length, 1) ** Math.max(degree, 1)) / 5;
}

/** Returns the cost of a test by an engine without backtracking. */
function linearCost(source: string): (length: number) => number {
  const size = patternSize(source);
  return (length) => (size * length) / 2;
}

/** Whether JavaScript's own engine tests a pattern in linear time. */
function isQuick({ ways, degree }: PatternCost): boolean {
  return degree <= 1 && ways <= (quickWays[degree] ?? 0);
}

/** Returns the size of a pattern that may need an engine without backtracking, or 0. */
export function linearSize(source: string): number {
  return isQuick(patternCost(source)) ? 0 : patternSize(source);
}

/** Describes the length above which a pattern is not enforced. */
function notOnLong(cost: { readonly ways: number; readonly degree: number }): string {
  const limit = Math.floor((maxPatternSteps / cost.ways) ** (1 / cost.degree));
  return `could take long to test, so it is not enforced on texts of more than ${limit} characters`;
}

function regExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

const maxStepsAtOnce = 1e5;

/**
 * How a pattern of keys (`patternProperties`) can be enforced; JavaScript's own engine tests it.
 */
type KeyPattern =
  | { readonly status: "native" }
  /** Its steps must be counted with `keySteps` before it is tested. */
  | { readonly status: "counted"; readonly cost: PatternCost; readonly note: string }
  | { readonly status: "unchecked"; readonly note: string }
  | { readonly status: "invalid"; readonly message: string };

/** Returns how a pattern of keys can be enforced so that no key makes it hang. */
export function keyPattern(source: string): KeyPattern {
  const shown = JSON.stringify(source.slice(0, 100));
  if (!regExp(source, "u")) {
    if (!regExp(source, ""))
      return { status: "invalid", message: `The pattern ${shown} is not a regular expression.` };
    const note = `The pattern ${shown} is valid only without the flag u, so it is not enforced on keys.`;
    return { status: "unchecked", note };
  }
  const cost = patternCost(source);
  if (cost.degree <= 1 && cost.ways <= 16) return { status: "native" };
  if (cost.ways > maxWays) {
    const note = `The pattern ${shown} could take forever to test, so it is not enforced on keys.`;
    return { status: "unchecked", note };
  }
  return { status: "counted", cost, note: `The pattern ${shown} ${notOnLong(cost)}.` };
}

/** Returns the maximum steps to test all keys of a value against the patterns. */
export function keySteps(value: unknown, costs: readonly PatternCost[]): number {
  if (typeof value !== "object" || value === null) return 0;
  let steps = 0;
  for (const member of Object.values(value)) steps += keySteps(member, costs);
  if (Array.isArray(value)) return steps;
  for (const key of Object.keys(value))
    for (const cost of costs) steps += stepsOf(cost, key.length);
  return steps;
}

/** Returns whether a key matches, or undefined if the test would take too long. */
export function matchesKey(source: string, key: string): boolean | undefined {
  if (stepsOf(patternCost(source), key.length) > maxStepsAtOnce) return undefined;
  return regExp(source, "u")?.test(key);
}

/** The maximum effort of a backtracking engine, estimated from the pattern alone. */
export interface PatternCost {
  /** The number of ways to match, regardless of the text's length. Infinity means exponential. */
  readonly ways: number;
  /** The number of steps grows with the length of the text to this power. */
  readonly degree: number;
}

/** Up to this number, repetitions are counted as ways. Beyond it, they are treated as unbounded. */
const fewRepetitions = 16;
const exponential: PatternCost = { ways: Infinity, degree: 0 };
const one: PatternCost = { ways: 1, degree: 0 };

/**
 * Estimates an upper bound of a pattern's effort. Nested repetitions, alternatives under an
 * unbounded repetition and back references count as exponential. Adjacent repetitions multiply.
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
      return /[1-9k]/.test(escaped) ? exponential : one;
    }
    if (char === "[") skipClass();
    if (char !== "(") return one;
    if (depth > 50) return exponential;
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
  // Without an anchor the search starts again at every position of the text.
  return isAnchored || whole.degree === 0 ? whole : { ways: whole.ways, degree: whole.degree + 1 };
}

function stepsOf({ ways, degree }: PatternCost, length: number): number {
  return ways * length ** degree;
}

function repeated(inner: PatternCost, min: number, max: number): PatternCost {
  if (max <= 1) return { ways: inner.ways + (min === max ? 0 : 1), degree: inner.degree };
  const isSimple = inner.ways === 1 && inner.degree === 0;
  if (isSimple && min === max) return one;
  if (isSimple && max - min < fewRepetitions) return { ways: max - min + 1, degree: 0 };
  if (isSimple) return { ways: 1, degree: 1 };
  if (max > fewRepetitions) return exponential;
  return { ways: inner.ways ** max * (max - min + 1), degree: inner.degree * max };
}
