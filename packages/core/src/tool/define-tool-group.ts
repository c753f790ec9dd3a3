import { CapstanError } from "../base/capstan-error.ts";
import type { ToolGroup } from "./tool.ts";
import { groupProblem } from "./tool-problem.ts";

/**
 * Makes a named set of tools.
 *
 * @throws CapstanError `invalid_tool_group` for a name that cannot be an id, or two tools of one name.
 */
export function defineToolGroup(group: ToolGroup): ToolGroup {
  const problem = groupProblem(group);
  if (problem !== undefined)
    throw new CapstanError({ code: "invalid_tool_group", message: problem });
  return group;
}
