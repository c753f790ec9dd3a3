import { defineToolGroup, type ToolGroup } from "@capstan/core";
import { listVars } from "./list-vars.ts";
import { readVar } from "./read-var.ts";
import { removeVars } from "./remove-vars.ts";
import { writeVar } from "./write-var.ts";

/**
 * Tools for the session's variables: `ReadVar` and `ListVars`, which are always offered, `WriteVar`
 * and `RemoveVars`. They use the session of the call and need no options.
 */
export function variableTools(): ToolGroup {
  return defineToolGroup({
    name: "vars",
    title: "Variables",
    description: "Variables: read, list, write and remove them.",
    tools: [readVar(), listVars(), writeVar(), removeVars()],
  });
}
