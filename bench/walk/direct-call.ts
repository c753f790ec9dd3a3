import { defineTool, defineToolGroup, ToolExecutor } from "@capstan/core";
import type { Walk } from "./measure.ts";

export async function open(): Promise<Walk> {
  const executor = new ToolExecutor();
  const add = defineTool({
    name: "Add",
    description: "Adds two numbers.",
    parameters: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number" } },
      required: ["a", "b"],
    },
    permission: { executionPolicy: "auto" },
    execute: ({ a, b }) => Number(a) + Number(b),
  });
  executor.registerToolGroup(defineToolGroup({ name: "numbers", tools: [add] }));
  executor.toggleGroupEnabled("numbers", true);
  return {
    name: "ToolExecutor.execute, one call",
    work: async () => {
      const { status } = await executor.execute("Add", { a: 1, b: 2 });
      if (status !== "success") throw new Error(`The call ended as ${status}.`);
    },
  };
}
