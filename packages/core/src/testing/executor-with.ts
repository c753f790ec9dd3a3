import { ToolExecutor, type ToolExecutorOptions } from "../call/tool-executor.ts";
import type { Tool } from "../tool/tool.ts";

/** What a tool of a test declares, where it is about something else. */
export const reads = {
  description: "",
  effects: "read",
  permission: { executionPolicy: "auto" },
} as const;

/** An executor with these tools in a group "test", switched on. */
export function executorWith(
  tools: readonly Tool[],
  options: ToolExecutorOptions = {},
): ToolExecutor {
  const executor = new ToolExecutor(options);
  executor.registerToolGroup({ name: "test", tools });
  executor.toggleGroupEnabled("test", true);
  return executor;
}
