export { builtInGroups, type BuiltInGroupsOptions } from "./install/built-in-groups.ts";
export type { ApiKey, Configuration, ConfiguredLimits } from "./configuration/configuration.ts";
export {
  createToolExecutor,
  type CreateToolExecutorOptions,
} from "./install/create-tool-executor.ts";
