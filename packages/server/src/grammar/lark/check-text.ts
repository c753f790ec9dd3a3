import type { AutomatonState } from "../regular/compile-expression.ts";
import { createBudget } from "../regular/grammar-budget.ts";
import { createLookahead } from "./lookahead.ts";
import type { CompiledProductions, GrammarSymbol, Terminal } from "./productions.ts";

/** The maximum steps of a check for each character of the text, and the bounds of their sum. */
const stepsPerCharacter = 200;
const leastSteps = 200_000;
const mostSteps = 5_000_000;
/** The steps of adding an item, which takes longer than reading a character. */
const stepsPerItem = 4;

/** Thrown when a check has used up its steps. */
class StepsExceeded extends Error {}

/** A position in a production whose text began at `origin`. */
interface Item {
  readonly nonterminal: number;
  readonly production: readonly GrammarSymbol[];
  readonly dot: number;
  readonly origin: number;
}

/** The items at one position of the text. */
interface ItemSet {
  readonly items: Item[];
  readonly seen: Set<number>;
  /** Items that wait for a nonterminal, by its number. */
  readonly waiting: Map<number, Item[]>;
}

/**
 * Returns why a text does not match a grammar, or `undefined` if it does. Uses Earley's algorithm
 * on characters: an expected terminal matches in all lengths.
 */
export function textProblem(productions: CompiledProductions, text: string): string | undefined {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const matcher = createMatcher(productions, characters);
  try {
    return matcher.run();
  } catch (thrown) {
    if (!(thrown instanceof StepsExceeded)) throw thrown;
    return "it takes too long to check. Use a shorter text.";
  }
}

function createMatcher(productions: CompiledProductions, characters: readonly number[]) {
  const { alternatives, nullable, ignored } = productions;
  const sets = new Map<number, ItemSet>();
  /**
   * The first number of each production. A production has one number for each position of its dot.
   */
  const numbers = new Map<readonly GrammarSymbol[], number>();
  let free = 0;
  for (const production of alternatives.flat()) {
    numbers.set(production, free);
    free += production.length + 1;
  }
  const length = characters.length + 1;
  const limit = Math.max(leastSteps, characters.length * stepsPerCharacter);
  const steps = createBudget(Math.min(limit, mostSteps), () => new StepsExceeded());
  const lookahead = createLookahead(productions, steps);
  let furthest = 0;
  const expected: Terminal[] = [];

  const setAt = (position: number): ItemSet => {
    let set = sets.get(position);
    if (set === undefined) {
      set = { items: [], seen: new Set(), waiting: new Map() };
      sets.set(position, set);
    }
    return set;
  };
  const add = (position: number, item: Item): void => {
    steps.spend(stepsPerItem);
    const { seen, items } = setAt(position);
    const key = ((numbers.get(item.production) ?? 0) + item.dot) * length + item.origin;
    if (seen.has(key)) return;
    seen.add(key);
    items.push(item);
  };
  const advanced = ({ nonterminal, production, dot, origin }: Item): Item => ({
    nonterminal,
    production,
    dot: dot + 1,
    origin,
  });
  const predict = (position: number, nonterminal: number): void => {
    for (const production of alternatives[nonterminal] ?? [])
      add(position, { nonterminal, production, dot: 0, origin: position });
  };
  /** Returns the positions at which a match of a terminal from a position can end. */
  const endsOf = (start: AutomatonState, position: number): readonly number[] => {
    const ends: number[] = [];
    let state: AutomatonState | undefined = start;
    for (let at = position; state !== undefined; at++) {
      steps.spend();
      if (state.isFinal) ends.push(at);
      const character = characters[at];
      if (character === undefined) break;
      state = state.after(character);
    }
    return ends;
  };
  let lastBeginnings: { readonly position: number; readonly found: readonly number[] } | undefined;
  /** Returns the positions at which a terminal can begin: this one, and those after ignored text. */
  const beginnings = (position: number): readonly number[] => {
    if (ignored.length === 0) return [position];
    if (lastBeginnings?.position === position) return lastBeginnings.found;
    const found = [position];
    // All ignored terminals are matched at once, so that a long run of them takes linear time.
    let states = new Set(ignored.map(({ start }) => start));
    for (let at = position; states.size > 0; at++) {
      const character = characters[at];
      if (character === undefined) break;
      const next = new Set<AutomatonState>();
      let isEnd = false;
      for (const state of states) {
        steps.spend();
        const after = state.after(character);
        if (after === undefined) continue;
        next.add(after);
        isEnd ||= after.isFinal;
      }
      if (isEnd) {
        found.push(at + 1);
        for (const { start } of ignored) next.add(start);
      }
      states = next;
    }
    lastBeginnings = { position, found };
    return found;
  };
  const scan = (position: number, item: Item, terminal: Terminal): void => {
    for (const from of beginnings(position)) {
      note(from, terminal);
      for (const end of endsOf(terminal.start, from))
        if (canFollow(item, end)) add(end, advanced(item));
    }
  };
  /**
   * Whether the text at a position can continue an item after its symbol. Without this check,
   * each character of a line would have items.
   */
  const canFollow = ({ nonterminal, production, dot }: Item, position: number): boolean => {
    if (ignored.length > 0) return true;
    const { terminals, end } = lookahead(nonterminal, production, dot + 1);
    const character = characters[position];
    if (character === undefined && end) return true;
    let found = false;
    for (const terminal of terminals) {
      steps.spend();
      const { start } = terminal;
      if (position >= furthest) note(position, terminal);
      found ||= start.isFinal || (character !== undefined && start.after(character) !== undefined);
    }
    return found;
  };
  const note = (position: number, terminal: Terminal): void => {
    if (position > furthest) {
      furthest = position;
      expected.length = 0;
    }
    if (position === furthest) expected.push(terminal);
  };
  const process = (position: number, set: ItemSet): void => {
    for (const item of set.items) {
      steps.spend();
      const symbol = item.production[item.dot];
      if (symbol === undefined) {
        for (const waiting of setAt(item.origin).waiting.get(item.nonterminal) ?? [])
          add(position, advanced(waiting));
      } else if (typeof symbol === "number") {
        const waiting = set.waiting.get(symbol);
        if (waiting === undefined) {
          set.waiting.set(symbol, [item]);
          predict(position, symbol);
        } else waiting.push(item);
        // An empty match may have been completed before this item waited for it.
        if (nullable[symbol] === true) add(position, advanced(item));
      } else scan(position, item, symbol);
    }
  };
  const problem = (): string => {
    const before = characters.slice(0, furthest).map((code) => String.fromCodePoint(code));
    const lines = before.join("").split("\n");
    const column = Array.from(lines.at(-1) ?? "").length + 1;
    const rest = characters
      .slice(furthest, furthest + 30)
      .map((code) => String.fromCodePoint(code));
    const found = rest.length === 0 ? "the text ends" : `it has ${JSON.stringify(rest.join(""))}`;
    const titles = new Set(expected.map(({ title }) => title));
    const names = [...titles].slice(0, 8).join(" or ");
    const wanted = names === "" ? "the end of the text" : names;
    return `at line ${lines.length}, column ${column}, ${found}, but ${wanted} was expected.`;
  };

  return {
    run(): string | undefined {
      predict(0, 0);
      for (let position = 0; position <= characters.length; position++) {
        const set = sets.get(position);
        if (set === undefined) continue;
        process(position, set);
      }
      const isStart = ({ nonterminal, production, dot, origin }: Item): boolean =>
        nonterminal === 0 && origin === 0 && dot === production.length;
      const accepted = [...sets].some(
        ([position, { items }]) =>
          items.some(isStart) && beginnings(position).includes(characters.length),
      );
      return accepted ? undefined : problem();
    },
  };
}
