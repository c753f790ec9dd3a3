import { ToolExecutor, type ToolExecutorOptions } from "../call/tool-executor.ts";
import type { Tool } from "../tool/tool.ts";
import { loadSchemaChecks } from "../arguments/schema-checks.ts";

// If the library is loaded, even the first direct call of a process starts before `execute`
// returns.
await loadSchemaChecks();

/** Declarations for test tools whose policy does not matter to the test. */
export const reads = {
  description: "",
  effects: "read",
  permission: { executionPolicy: "auto" },
} as const;

/** Returns an executor with these tools in an enabled group "test". */
export function executorWith(
  tools: readonly Tool[],
  options: ToolExecutorOptions = {},
): ToolExecutor {
  const executor = new ToolExecutor(options);
  executor.registerToolGroup({ name: "test", tools });
  executor.toggleGroupEnabled("test", true);
  return executor;
}
