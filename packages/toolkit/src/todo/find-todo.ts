import { toolError, type ToolError, type VariableSystem } from "@capstan/core";
import { z } from "zod";
import type { TodoItem } from "./todo-item.ts";

/** The parameter that names an item. */
export const itemParameter = z.union([z.int(), z.string().min(1)], {
  error: "Give an item's number, or the name of its variable.",
});

/** Finds an item by its number or its variable. Returns an error that names the items. */
export function findTodo(
  items: readonly TodoItem[],
  wanted: z.infer<typeof itemParameter>,
): TodoItem | ToolError {
  const named = items.find(({ name }) => name === wanted);
  if (named !== undefined) return named;
  const found = items.filter(({ index }) => String(index) === String(wanted).trim());
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1)
    return toolError({
      code: "ambiguous_item",
      message: `${found.length} items have the number ${wanted}. Give a name: ${found.map(({ name }) => name).join(", ")}.`,
    });
  const shown = items.slice(0, 20).map(({ index }) => index);
  return toolError({
    code: "no_such_item",
    message:
      items.length === 0
        ? "The TODO list is empty. AddTodos adds items."
        : `There is no item ${JSON.stringify(wanted)}. The items are ${shown.join(", ")}${items.length > shown.length ? ", …" : ""}.`,
  });
}

/** Returns the error for an item whose variable a user keeps, or `undefined`. */
export function keptProblem(variables: VariableSystem, { name }: TodoItem): ToolError | undefined {
  if (variables.peekVariable(name)?.keep !== true) return undefined;
  return toolError({
    code: "kept_item",
    message: `${name} has "keep" set, so only the user can remove or move it. Its state and text can be changed.`,
  });
}
