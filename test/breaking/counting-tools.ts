import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, type ToolArgs, type ToolContext, type ToolGroup } from "@capstan/core";
import { noteExecution } from "./executions.ts";

const auto = { executionPolicy: "auto" } as const;
const ask = { executionPolicy: "ask-always" } as const;

const parameters = {
  type: "object",
  properties: { ms: { type: "integer", description: "The duration of a call." } },
  required: ["ms"],
} as const;

/** Tools whose calls may be repeated if their outcome is unknown. */
export const repeatableTools: readonly string[] = ["Look", "Pay"];

/** Tools that record the start and the end of each execution in a file. */
export function countingTools(file: string): ToolGroup {
  const counting = (tool: string) => async (args: ToolArgs, context: ToolContext) => {
    const key = context.idempotencyKey;
    noteExecution(file, { step: "begun", key, tool });
    // It ignores the signal, because external effects cannot be undone either.
    await sleep(Number(args["ms"]));
    noteExecution(file, { step: "ended", key, tool });
    return `${tool} is done`;
  };
  const tool = (name: string, description: string) => ({
    name,
    description,
    parameters,
    execute: counting(name),
  });
  return {
    name: "counting",
    title: "Counting",
    tools: [
      defineTool({ ...tool("Look", "Only reads."), effects: "read", permission: auto }),
      defineTool({ ...tool("Count", "Acts."), permission: auto }),
      defineTool({
        ...tool("Pay", "Acts once per idempotency key."),
        idempotent: true,
        permission: auto,
      }),
      defineTool({ ...tool("Ask", "Acts, if the user allows it."), permission: ask }),
    ],
  };
}
