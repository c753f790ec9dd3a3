import type { AutomatonState } from "../regular/compile-expression.ts";
import { createLookahead } from "./lookahead.ts";
import type { GrammarSymbol, Productions, Terminal } from "./productions.ts";

/** The steps that a check may take, for each character of the text and at least. */
const stepsPerCharacter = 200;
const leastSteps = 200_000;

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
export function textProblem(productions: Productions, text: string): string | undefined {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const matcher = createMatcher(productions, characters);
  return matcher.run();
}

function createMatcher(productions: Productions, characters: readonly number[]) {
  const { alternatives, nullable, ignored } = productions;
  const lookahead = createLookahead(productions);
  const sets = new Map<number, ItemSet>();
  /** A number for each production, with as many free numbers after it as it has dots. */
  const numbers = new Map<readonly GrammarSymbol[], number>();
  let free = 0;
  for (const production of alternatives.flat()) {
    numbers.set(production, free);
    free += production.length + 1;
  }
  const length = characters.length + 1;
  let stepsLeft = Math.max(leastSteps, characters.length * stepsPerCharacter);
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
    stepsLeft--;
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
      stepsLeft--;
      if (state.isFinal) ends.push(at);
      const character = characters[at];
      if (character === undefined || stepsLeft < 0) break;
      state = state.after(character);
    }
    return ends;
  };
  /** Returns the positions at which a terminal can begin: this one, and those after ignored text. */
  const beginnings = (position: number): readonly number[] => {
    const found = [position];
    for (const from of found)
      for (const { start } of ignored)
        for (const end of endsOf(start, from)) if (!found.includes(end)) found.push(end);
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
   * Whether the text at a position can begin with what follows an item's symbol. Without this check,
   * each character of a line would have items.
   */
  const canFollow = ({ nonterminal, production, dot }: Item, position: number): boolean => {
    if (ignored.length > 0) return true;
    const { terminals, end } = lookahead(nonterminal, production, dot + 1);
    const character = characters[position];
    if (character === undefined && end) return true;
    let found = false;
    for (const terminal of terminals) {
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
      stepsLeft--;
      if (stepsLeft < 0) return;
      const symbol = item.production[item.dot];
      if (symbol === undefined) {
        for (const waiting of setAt(item.origin).waiting.get(item.nonterminal) ?? []) {
          if (stepsLeft < 0) return;
          add(position, advanced(waiting));
        }
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
        if (stepsLeft < 0) return "it takes too long to check. Use a shorter text.";
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
