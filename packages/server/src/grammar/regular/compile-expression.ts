import { createRequire } from "node:module";
import type * as Refa from "refa";
import { countSkips } from "./count-skips.ts";
import { type Budget, createBudget, type GrammarCost, grammarLimits } from "./grammar-budget.ts";

/** A state of an automaton that reads a text one code point at a time. */
export interface AutomatonState {
  /** Returns the state after a code point, or `undefined` if no match continues with it. */
  after(codePoint: number): AutomatonState | undefined;
  /** Whether the text so far matches. */
  readonly isFinal: boolean;
}

/** A compiled regular expression, or why it cannot be used. */
export type CompiledExpression =
  | {
      readonly status: "compiled";
      readonly start: AutomatonState;
      readonly states: number;
      readonly ranges: number;
      readonly visits: number;
    }
  | { readonly status: "invalid"; readonly message: string };

/** The maximum number of states of one automaton. */
const maxStates = 2_000;
/** The time to create an edge, in visits of edges. */
const visitsOfSkip = 4;

/**
 * Compiles a regular expression to a deterministic automaton, so that matching takes linear time
 * whatever the expression.
 *
 * @param flags of `i`, `s`, `m` and `u`. Texts always consist of code points, and `^` and `$`,
 * which `m` would change, are unsupported
 * @param left the resources that the grammar of the expression may still use
 */
export function compileExpression(
  source: string,
  flags = "",
  left: Omit<GrammarCost, "steps"> = grammarLimits,
): CompiledExpression {
  const [opening, first] = /^\(\?([ismu]+)\)/.exec(source) ?? [];
  if (opening !== undefined && first !== undefined)
    return compileExpression(source.slice(opening.length), flags + first, left);
  const unknown = /[^ismu]/.exec(flags)?.[0];
  if (unknown !== undefined)
    return { status: "invalid", message: `the flag ${unknown} is not supported.` };
  const { JS, NFA, DFA } = loadRefa();
  try {
    const parser = JS.Parser.fromLiteral({
      source: javaScriptSource(source, { dotAll: flags.includes("s") }),
      flags: flags.includes("i") ? "iu" : "u",
    });
    const { expression, maxCharacter } = parser.parse({
      assertions: "throw",
      backreferences: "throw",
    });
    const skips = countSkips(expression, left.visits / visitsOfSkip);
    if (skips > left.visits / visitsOfSkip) return tooManyOptional;
    const limit = Math.min(maxStates, left.states);
    const nfaNodes = counted(new NFA.LimitedNodeFactory(limit));
    const nfa = NFA.fromRegex(expression, { maxCharacter }, {}, nfaNodes);
    const ranges = rangesOf(nfa);
    if (ranges > left.ranges)
      return {
        status: "invalid",
        message: `the grammar has more than ${grammarLimits.ranges} ranges of characters in all. Use simpler classes or smaller repetition counts.`,
      };
    const dfaNodes = counted(new DFA.LimitedNodeFactory(limit));
    const visits = createBudget(left.visits - skips * visitsOfSkip, () => new TooManyVisits());
    const dfa = DFA.fromFA(countVisits(nfa, visits), dfaNodes);
    const states = Math.max(nfaNodes.created(), dfaNodes.created());
    const spent = visits.spent() + skips * visitsOfSkip;
    return { status: "compiled", start: startOf(dfa), states, ranges, visits: spent };
  } catch (thrown) {
    if (thrown instanceof TooManyVisits) return tooManyOptional;
    return { status: "invalid", message: reasonOf(thrown, left) };
  }
}

const tooManyOptional: CompiledExpression = {
  status: "invalid",
  message: "it has too many optional parts in a row. Use fewer, or smaller repetition counts.",
};

class TooManyVisits extends Error {}

/** Wraps an automaton so that each visit of its edges spends the budget. */
function countVisits(
  nfa: Refa.NFA,
  visits: Budget,
): Refa.TransitionIterable<Refa.NFA.ReadonlyNode> {
  return {
    maxCharacter: nfa.maxCharacter,
    transitionIterator() {
      const { initial, getOut, isFinal } = nfa.transitionIterator();
      return {
        initial,
        isFinal,
        // Otherwise the library calls `getOut` once per node, and its later visits do not count.
        stableOut: true,
        getOut(node) {
          const edges = getOut(node);
          visits.spend(edges.size + 1);
          return edges;
        },
      };
    },
  };
}

/** Counts the nodes that a factory creates. */
function counted<Node>(factory: Refa.NodeFactory<Node>) {
  let created = 0;
  return {
    created: () => created,
    createNode(): Node {
      created++;
      return factory.createNode();
    },
  };
}

function rangesOf(nfa: Refa.NFA): number {
  let ranges = 0;
  for (const node of nfa.nodes())
    for (const characters of node.out.values()) ranges += characters.ranges.length;
  return ranges;
}

function startOf({ initial, finals }: Refa.DFA): AutomatonState {
  const states = new Map<Refa.DFA.ReadonlyNode, AutomatonState>();
  const stateOf = (node: Refa.DFA.ReadonlyNode): AutomatonState => {
    const known = states.get(node);
    if (known !== undefined) return known;
    const state: AutomatonState = {
      isFinal: finals.has(node as Refa.DFA.Node),
      after(codePoint) {
        const next = node.out.get(codePoint);
        return next === undefined ? undefined : stateOf(next);
      },
    };
    states.set(node, state);
    return state;
  };
  return stateOf(initial);
}

/** Whether a whole text matches. */
export function matchesWhole(start: AutomatonState, text: string): boolean {
  let state: AutomatonState | undefined = start;
  for (const character of text) {
    state = state.after(character.codePointAt(0) ?? 0);
    if (state === undefined) return false;
  }
  return state.isFinal;
}

function reasonOf(thrown: unknown, { states }: Pick<GrammarCost, "states">): string {
  if (!(thrown instanceof Error)) throw thrown;
  if (thrown instanceof loadRefa().TooManyNodesError)
    return states < maxStates
      ? `the grammar needs more than ${grammarLimits.states} states in all. Use fewer or shorter terminals, or smaller repetition counts.`
      : `it needs more than ${maxStates} states. Use smaller repetition counts.`;
  if (thrown instanceof RangeError) return "it is nested too deeply.";
  if (/assertion/i.test(thrown.message))
    return "assertions (^ $ \\b and lookaround) are not supported; grammars match whole texts.";
  if (/backreference/i.test(thrown.message)) return "backreferences are not supported.";
  const reason = thrown.message.replace(/^Invalid regular expression: .*?: /s, "");
  return `it is not a regular expression (${reason}).`;
}

/** Characters that JavaScript allows after a backslash with the flag `u`. */
const escapable = /[\^$\\.*+?()[\]{}|/A-Za-z0-9]/;

/**
 * Returns an expression in the syntax of Rust or Python as one of JavaScript: `.` matches all
 * characters but \n, groups have JavaScript's names, and unnecessary backslashes are dropped.
 */
function javaScriptSource(source: string, { dotAll }: { readonly dotAll: boolean }): string {
  let result = "";
  let isInClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\\") {
      const next = source.charAt(at + 1);
      const isNeeded = next === "" || escapable.test(next) || (isInClass && next === "-");
      result += isNeeded ? character + next : next;
      at++;
    } else if (isInClass) {
      if (character === "]") isInClass = false;
      result += character;
    } else if (character === "[") {
      isInClass = true;
      result += character;
    } else if (character === ".") result += dotAll ? "[\\s\\S]" : "[^\\n]";
    else if (source.startsWith("(?P<", at)) {
      result += "(?<";
      at += 3;
    } else result += character;
  }
  return result;
}

/** Returns a text as an expression that matches exactly it. */
export function literalExpression(
  text: string,
  { anyCase }: { readonly anyCase: boolean },
): string {
  return Array.from(text, (character) => {
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    if (anyCase && lower !== upper && lower.length === 1 && upper.length === 1)
      return `[${lower}${upper}]`;
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  }).join("");
}

let refa: typeof Refa | undefined;

/** Returns the library for automata, which is loaded at the first use. */
function loadRefa(): typeof Refa {
  refa ??= createRequire(import.meta.url)("refa") as typeof Refa;
  return refa;
}
