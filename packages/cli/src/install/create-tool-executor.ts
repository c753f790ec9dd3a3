import { type ToolGroup, ToolExecutor, type ToolExecutorOptions } from "@capstan/core";
import { linearPatterns } from "@capstan/toolkit";

/** The executor's options, with its tool groups and the initial switches. */
export interface CreateToolExecutorOptions extends ToolExecutorOptions {
  /** The groups of the session, in this order, e.g. `builtInGroups({ roots })`. */
  readonly groups: readonly ToolGroup[];
  /** Initial switches, by group. @default all groups are on */
  readonly groupDefaults?: { readonly [group: string]: boolean };
  /** Initial switches, by `group.Tool`. @default all tools are on */
  readonly toolDefaults?: { readonly [toolId: string]: boolean };
}

/**
 * Creates the executor of one session, with its groups in order and the switches of the
 * installation. Each session has its own executor and variables.
 *
 * @throws CapstanError `duplicate_tool_group` if two groups have the same name
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
