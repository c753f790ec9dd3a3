export { builtInGroups, type BuiltInGroupsOptions } from "./built-in-groups.ts";
export type { ApiKey, Configuration, ConfiguredLimits } from "./configuration/configuration.ts";
export { createToolExecutor, type CreateToolExecutorOptions } from "./create-tool-executor.ts";
