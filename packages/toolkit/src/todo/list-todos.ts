import { defineTool, type Tool } from "@capstan/core";
import { z } from "zod";
import { formatTodos, readTodos, todoItems } from "./todo-item.ts";

const parameters = z.object({
  state: z.enum(["open", "doing", "done"]).optional().describe("Only items in this state."),
});

/** `ListTodos`: lists the items of the TODO list. */
export function listTodos(): Tool {
  return defineTool({
    name: "ListTodos",
    description: "Lists the TODO list of this conversation.",
    parameters,
    examples: [{ title: "The steps that are open.", args: { state: "open" } }],
    effects: "read",
    permission: { executionPolicy: "auto" },
    variableTool: true,
    SKIP_EXTERNAL_TRUNCATE: true,
    declaredReturnType: { type: "{name, index, state, text}[]" },
    formatForLLM: formatTodos,
    execute: async ({ state }, { variables }) => {
      await readTodos(variables);
      const items = todoItems(variables);
      return state === undefined ? items : items.filter((item) => item.state === state);
    },
  });
}
