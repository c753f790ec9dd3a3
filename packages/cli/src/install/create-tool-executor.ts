import { type ToolGroup, ToolExecutor, type ToolExecutorOptions } from "@capstan/core";
import { linearPatterns } from "@capstan/toolkit";

/** The executor's options, with its tool groups and the tools that start enabled. */
export interface CreateToolExecutorOptions extends ToolExecutorOptions {
  /** The groups of the session, in this order, e.g. `builtInGroups({ roots })`. */
  readonly groups: readonly ToolGroup[];
  /** Switches to start from, by group. @default every group on */
  readonly groupDefaults?: { readonly [group: string]: boolean };
  /** Switches to start from, by `group.Tool`. @default every tool on */
  readonly toolDefaults?: { readonly [toolId: string]: boolean };
}

/**
 * Makes the executor of one session: its groups in order, switched as the installation says.
 * Each session has its own, with its own variables.
 *
 * @throws CapstanError `duplicate_tool_group` where two groups have one name
 * @example
 * const executor = createToolExecutor({
 *   groups: builtInGroups({ roots: [process.cwd()] }),
 *   toolDefaults: { "web.FetchWebPage": false },
 *   approvals,
 * });
 */
export function createToolExecutor(options: CreateToolExecutorOptions): ToolExecutor {
  const { groups, groupDefaults = {}, toolDefaults = {}, ...executorOptions } = options;
  const executor = new ToolExecutor({ patternEngine: linearPatterns, ...executorOptions });
  for (const group of groups) {
    executor.registerToolGroup(group);
    executor.toggleGroupEnabled(group.name, groupDefaults[group.name] ?? true);
  }
  for (const [toolId, on] of Object.entries(toolDefaults)) executor.setToolEnabled(toolId, on);
  return executor;
}
