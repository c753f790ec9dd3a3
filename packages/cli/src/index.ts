/** Entry for applications that use the tools of an installation without its server. */
export { builtInGroups, type BuiltInGroupsOptions } from "./install/built-in-groups.ts";
export {
  createToolExecutor,
  type CreateToolExecutorOptions,
} from "./install/create-tool-executor.ts";
