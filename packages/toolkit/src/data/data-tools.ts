import { defineToolGroup, type ToolGroup } from "@capstan/core";
import type { FileToolsOptions } from "../files/file-roots.ts";
import { calculate } from "./calculate.ts";
import { jsonQuery } from "./json-query.ts";
import { tableQuery } from "./table-query.ts";

/**
 * Tools that compute with numbers and query tables and JSON: `Calculate`, `JsonQuery` and
 * `TableQuery`.
 *
 * @example dataTools({ roots: [{ path: process.cwd() }] })
 */
export function dataTools(options: FileToolsOptions): ToolGroup {
  return defineToolGroup({
    name: "data",
    title: "Data",
    description: "Computes, and queries tables and JSON in files and variables.",
    tools: [calculate(), jsonQuery(options), tableQuery(options)],
    rulePrompt:
      "Compute with Calculate instead of in your head. Query a table by the path of its file or the name of its variable, without reading it first; results are variables that charts can draw.",
  });
}
