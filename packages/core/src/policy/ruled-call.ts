import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool, ToolArgs } from "../tool/tool.ts";
import type { RuledCall } from "./rule.ts";

/** A call as rules see it. Its arguments are brought into form when a rule first looks at them. */
export function ruledCall({ id, tool }: RegisteredTool, args: ToolArgs): RuledCall {
  let canonical: ToolArgs | undefined;
  return {
    toolId: id,
    get args() {
      return (canonical ??= canonicalArguments(tool, args));
    },
  };
}

/** Arguments in the one way to write them; as they are where the tool cannot tell. */
export function canonicalArguments({ permission }: Tool, args: ToolArgs): ToolArgs {
  try {
    return permission?.canonicalArguments?.(args) ?? args;
  } catch {
    return args;
  }
}
