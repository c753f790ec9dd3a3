import { defineTool, isToolError, type Tool, toolError, type VariableSystem } from "@capstan/core";
import { z } from "zod";
import { findTodo, itemParameter, keptProblem } from "./find-todo.ts";
import {
  formatTodos,
  oneLine,
  readTodos,
  type TodoItem,
  todoItems,
  todoName,
  todoValue,
} from "./todo-item.ts";
import { todoLocks } from "./todo-locks.ts";

const parameters = z.object({
  item: itemParameter.describe("Its number, or the name of its variable."),
  state: z.enum(["open", "doing", "done"]).optional(),
  text: z.string().min(1).max(500).optional(),
  position: z
    .int()
    .min(1)
    .optional()
    .describe("Its new position in the list, from 1. All items are numbered again."),
});

/** `ChangeTodo`: changes the state, the text or the position of an item. */
export function changeTodo(): Tool {
  return defineTool({
    name: "ChangeTodo",
    description:
      "Changes an item of the TODO list: its state, its text or its position. Returns the list.",
    parameters,
    examples: [{ title: "The second step is done.", args: { item: 2, state: "done" } }],
    errors: {
      no_such_item: "there is no such item",
      ambiguous_item: "several items have this number",
      no_change: "nothing to change was given",
      kept_item: "an item that would move has `keep` set",
    },
    effects: todoLocks,
    permission: { executionPolicy: "auto" },
    idempotent: true,
    variableTool: true,
    compressArgs: ({ item, state }) => [item, state].join(" ").trim(),
    declaredReturnType: { type: "{name, index, state, text}[]" },
    formatForLLM: formatTodos,
    execute: async (args, { variables }) => {
      await readTodos(variables);
      return change(args, variables);
    },
  });
}

function change(
  { item, state, text, position }: z.infer<typeof parameters>,
  variables: VariableSystem,
) {
  if (state === undefined && text === undefined && position === undefined)
    return toolError({
      code: "no_change",
      message: "Give the new state, text or position of the item.",
    });
  const items = todoItems(variables);
  const found = findTodo(items, item);
  if (isToolError(found)) return found;
  const words = text === undefined ? found.text : oneLine(text);
  if (words === "") return toolError({ code: "empty_item", message: "The text is empty." });
  const changed = { ...found, state: state ?? found.state, text: words };
  if (position !== undefined) {
    const order = items.filter(({ name }) => name !== found.name);
    order.splice(position - 1, 0, changed);
    const problem = renumberProblem(order, variables);
    if (problem !== undefined) return problem;
  }
  const outcome = variables.updateVariable(found.name, { value: todoValue(changed) });
  if (outcome.status === "refused") return toolError(outcome.error);
  if (position !== undefined) {
    const order = items.filter(({ name }) => name !== found.name);
    order.splice(position - 1, 0, changed);
    renumber(order, variables);
  }
  return todoItems(variables);
}

/** Returns an error if a user keeps an item that would get another name. */
function renumberProblem(order: readonly TodoItem[], variables: VariableSystem) {
  for (const [at, item] of order.entries()) {
    const problem = item.index === at + 1 ? undefined : keptProblem(variables, item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Numbers the items from 1. Only the names of their variables change. */
function renumber(order: readonly TodoItem[], variables: VariableSystem): void {
  const moved = order.flatMap((item, at) => {
    const variable = variables.getVariable(item.name, { visit: false });
    return item.index === at + 1 || variable === undefined
      ? []
      : [{ name: todoName(at + 1, item.text), old: item.name, variable }];
  });
  variables.removeVariables(moved.map(({ old }) => old));
  for (const { name, variable } of moved) {
    const { value, type, desc, tags } = variable;
    variables.addVariable(name, value, type, desc, tags);
  }
}
