import type { Variable, VariableInfo, VariableSystem } from "@capstan/core";
import { readBack } from "@capstan/core/host";

/** The state of an item. */
export type TodoState = "open" | "doing" | "done";

/** An item of the session's TODO list: one variable. */
export interface TodoItem {
  /** The name of its variable: `TODO_{index}_{brief}`. */
  readonly name: string;
  readonly index: number;
  readonly state: TodoState;
  /** One line. */
  readonly text: string;
}

/** The tag of the list's variables. */
export const todoTag = "todo";
/** The maximum number of items in a list. */
export const mostItems = 200;

const nameForm = /^TODO_(\d{1,9})_./s;

/** Reads the values of the items that are not in memory, for `todoItems`. */
export async function readTodos(variables: VariableSystem): Promise<void> {
  const found = variables.listVariables({ search: "todo_" }).flatMap((info) => itemInfo(info));
  for (const { name } of found) await readBack(variables, name);
}

/** Returns the items in their order: by index, then by the time at which they were created. */
export function todoItems(variables: VariableSystem): readonly TodoItem[] {
  const found = variables
    .listVariables({ search: "todo_" })
    .flatMap((info) => itemInfo(info))
    .toSorted((a, b) => a.index - b.index || a.created - b.created || (a.name < b.name ? -1 : 1));
  return found.flatMap(({ name, index }) => {
    const variable = variables.getVariable(name, { visit: false });
    return variable === undefined ? [] : [{ name, index, ...readValue(variable) }];
  });
}

/** Results and rules are not items, whatever their names. */
function itemInfo({ name, type, created }: VariableInfo) {
  const isOther = type === "RULE" || type === "ToolCallResult" || type === "ToolCallArgs";
  const [, index] = isOther ? [] : (nameForm.exec(name) ?? []);
  return index === undefined ? [] : [{ name, created, index: Number(index) }];
}

/** A value without a state is an open item. */
function readValue({ value }: Variable): Pick<TodoItem, "state" | "text"> {
  const [, state, text] = /^\s*(open|doing|done)\s*:\s*(.*)$/is.exec(value.text) ?? [];
  if (state === undefined || text === undefined)
    return { state: "open", text: oneLine(value.text) };
  return { state: state.toLowerCase() as TodoState, text: oneLine(text) };
}

/** Returns the value of an item's variable: `open: Read the configuration`. */
export function todoValue({ state, text }: Pick<TodoItem, "state" | "text">): string {
  return `${state}: ${text}`;
}

/**
 * Returns the name of an item's variable. The brief consists of the first words of the text. It
 * does not end with a number, such as `_3`, because names of results do.
 *
 * @example todoName(2, "Write the tests") // "TODO_2_write_the_tests"
 */
export function todoName(index: number, text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = Array.from(words.slice(0, 4).join("_")).slice(0, 40).join("");
  const brief = letters.replace(/(_\d+)+$/, "").replace(/_+$/, "");
  return `TODO_${index}_${/^\d*$/.test(brief) ? `step${brief}` : brief}`;
}

/** Returns a text as one line without control characters. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** Formats a list for the model: `2. [doing] Write the tests`. */
export function formatTodos(items: readonly TodoItem[]): string {
  if (items.length === 0) return "The TODO list is empty.";
  const done = items.filter(({ state }) => state === "done").length;
  const counts = new Map<number, number>();
  for (const { index } of items) counts.set(index, (counts.get(index) ?? 0) + 1);
  const lines = items.map(({ index, name, state, text }) => {
    const isShared = (counts.get(index) ?? 0) > 1;
    return `${index}. [${state}] ${text}${isShared ? ` (${name})` : ""}`;
  });
  return `${done} of ${items.length} done.\n${lines.join("\n")}`;
}
