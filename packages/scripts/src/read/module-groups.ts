import * as core from "@capstan/core";
import { defineToolGroup, type Tool, type ToolGroup } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { groupIdOf } from "../definition/group-id.ts";

/** The groups of a module, or its problem. */
export type ModuleGroups =
  | { readonly status: "read"; readonly groups: readonly ToolGroup[] }
  | { readonly status: "refused"; readonly message: string };

/**
 * Returns the groups that a module exports: exported groups, and a group with the file's name for
 * its exported tools. A function named `tools`, or the default export, receives `@capstan/core` and
 * returns either. `title` and `rulePrompt` describe the file's own group.
 */
export async function groupsOf(
  exports: { readonly [name: string]: unknown },
  fileName: string,
): Promise<ModuleGroups> {
  const groups: ToolGroup[] = [];
  const tools: Tool[] = [];
  const addExport = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(addExport);
    else if (isGroup(value)) groups.push(value);
    else if (isTool(value) && !tools.includes(value)) tools.push(value);
  };
  for (const [name, value] of Object.entries(exports)) {
    const isFactory = typeof value === "function" && (name === "tools" || name === "default");
    addExport(isFactory ? await (value as (api: typeof core) => unknown)(core) : value);
  }
  const { title, rulePrompt } = exports;
  if (tools.length > 0)
    groups.push({
      name: groupIdOf(fileName, "python"),
      title: typeof title === "string" ? title : fileName,
      tools,
      ...(typeof rulePrompt === "string" && { rulePrompt }),
    });
  if (groups.length === 0) {
    const message =
      "It exports no tools and no group. Export the result of defineTool or defineToolGroup, or a function `tools` that returns it.";
    return { status: "refused", message };
  }
  try {
    const registry = new core.ToolExecutor();
    for (const group of groups) registry.registerToolGroup(defineToolGroup(group));
  } catch (thrown) {
    return { status: "refused", message: errorMessage(thrown) };
  }
  return { status: "read", groups };
}

function isGroup(value: unknown): value is ToolGroup {
  return isObject(value) && typeof value["name"] === "string" && Array.isArray(value["tools"]);
}

function isTool(value: unknown): value is Tool {
  return (
    isObject(value) && isObject(value["definition"]) && isObject(value["definition"]["function"])
  );
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
