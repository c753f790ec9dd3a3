import { defineToolGroup, type ToolGroup } from "@capstan/core";
import { addTodos } from "./add-todos.ts";
import { changeTodo } from "./change-todo.ts";
import { listTodos } from "./list-todos.ts";
import { removeTodos } from "./remove-todos.ts";

/**
 * Tools for the TODO list of a session: `AddTodos`, `ListTodos`, `ChangeTodo` and `RemoveTodos`. Each
 * item is a variable `TODO_{index}_{brief}`, so the list includes items that a user or `WriteVar`
 * wrote.
 */
export function todoTools(): ToolGroup {
  return defineToolGroup({
    name: "todo",
    title: "TODO list",
    description: "A list of steps, which the user sees among the variables.",
    tools: [addTodos(), listTodos(), changeTodo(), removeTodos()],
    rulePrompt: (names) =>
      names.includes("AddTodos")
        ? "Before work of more than three steps, list them with AddTodos. Set a step to doing when you begin it, and to done when it is complete."
        : "",
  });
}
