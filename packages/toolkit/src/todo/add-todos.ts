import { defineTool, type Tool, toolError, type VariableSystem } from "@capstan/core";
import { z } from "zod";
import {
  formatTodos,
  mostItems,
  oneLine,
  readTodos,
  type TodoItem,
  todoItems,
  todoName,
  todoTag,
  todoValue,
} from "./todo-item.ts";
import { todoLocks } from "./todo-locks.ts";

const parameters = z.object({
  items: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(50)
    .describe("The steps, one line each, in order. They are added at the end."),
});

/** `AddTodos`: adds items at the end of the TODO list. */
export function addTodos(): Tool {
  return defineTool({
    name: "AddTodos",
    description: "Adds steps to the TODO list of this conversation. Returns the list.",
    parameters,
    examples: [
      { title: "Two steps.", args: { items: ["Read the configuration", "Write the tests"] } },
    ],
    errors: {
      empty_item: "an item is empty",
      too_many_items: "the list would have more than 200 items",
    },
    effects: todoLocks,
    permission: { executionPolicy: "auto" },
    idempotent: true,
    variableTool: true,
    compressArgs: ({ items }) => items.join("; "),
    declaredReturnType: { type: "{name, index, state, text}[]" },
    formatForLLM: formatTodos,
    execute: async ({ items }, { variables }) => {
      await readTodos(variables);
      return add(items, variables);
    },
  });
}

function add(given: readonly string[], variables: VariableSystem) {
  const before = todoItems(variables);
  const texts = given.map(oneLine);
  if (texts.includes(""))
    return toolError({ code: "empty_item", message: "An item is empty. Nothing was added." });
  if (before.length + texts.length > mostItems)
    return toolError({
      code: "too_many_items",
      message: `A list has at most ${mostItems} items, and this one has ${before.length}. RemoveTodos {"which": "done"} removes those that are done.`,
    });
  const first = Math.max(0, ...before.map(({ index }) => index)) + 1;
  const added: string[] = [];
  for (const [at, text] of texts.entries()) {
    const item = { index: first + at, state: "open", text } as const;
    const problem = writeTodo(variables, item);
    if (problem !== undefined) {
      variables.removeVariables(added);
      return problem;
    }
    added.push(todoName(item.index, text));
  }
  return todoItems(variables);
}

/** Stores an item as a new variable. */
function writeTodo(variables: VariableSystem, item: Omit<TodoItem, "name">) {
  const name = todoName(item.index, item.text);
  const outcome = variables.addVariable(name, todoValue(item), "LLMAdd", undefined, [todoTag]);
  return outcome.status === "refused" ? toolError(outcome.error) : undefined;
}
