import { defineTool, isToolError, type Tool, toolError, type VariableSystem } from "@capstan/core";
import { z } from "zod";
import { countOf } from "../text/format-bytes.ts";
import { findTodo, itemParameter, keptProblem } from "./find-todo.ts";
import { formatTodos, readTodos, type TodoItem, todoItems } from "./todo-item.ts";
import { todoLocks } from "./todo-locks.ts";

const parameters = z.object({
  items: z
    .array(itemParameter)
    .min(1)
    .max(200)
    .optional()
    .describe("Numbers, or names of variables."),
  which: z
    .enum(["done", "all"])
    .optional()
    .describe("Instead of items: those that are done, or all."),
});

interface Removal {
  readonly removed: number;
  readonly items: readonly TodoItem[];
}

/** `RemoveTodos`: removes items, those that are done, or all. */
export function removeTodos(): Tool {
  return defineTool({
    name: "RemoveTodos",
    description: "Removes items from the TODO list, those that are done, or all. Returns the rest.",
    parameters,
    examples: [{ title: "All steps that are done.", args: { which: "done" } }],
    errors: {
      no_such_item: "there is no such item",
      kept_item: "the user keeps the item",
      invalid_arguments: "give items or which",
    },
    effects: todoLocks,
    permission: { executionPolicy: "auto" },
    idempotent: true,
    variableTool: true,
    compressArgs: ({ items, which }) => which ?? items?.join(", ") ?? "",
    declaredReturnType: { type: "{removed: number, items: {name, index, state, text}[]}" },
    formatForLLM: ({ removed, items }: Removal) =>
      `Removed ${countOf(removed, "item")}. ${formatTodos(items)}`,
    execute: async (args, { variables }) => {
      await readTodos(variables);
      return remove(args, variables);
    },
  });
}

function remove({ items: wanted, which }: z.infer<typeof parameters>, variables: VariableSystem) {
  if ((wanted === undefined) === (which === undefined))
    return toolError({ code: "invalid_arguments", message: "Give items or which, not both." });
  const items = todoItems(variables);
  const chosen: TodoItem[] = [];
  if (which !== undefined) {
    // Skip items that the user keeps. The result still lists them.
    for (const item of items)
      if ((which === "all" || item.state === "done") && !keptProblem(variables, item))
        chosen.push(item);
  }
  for (const one of wanted ?? []) {
    const found = findTodo(items, one);
    if (isToolError(found)) return found;
    const kept = keptProblem(variables, found);
    if (kept !== undefined) return kept;
    chosen.push(found);
  }
  const { removed } = variables.removeVariables(chosen.map(({ name }) => name));
  return { removed: removed.length, items: todoItems(variables) };
}
