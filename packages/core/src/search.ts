/**
 * Finds tools by the words of a task, among many: `createToolIndex(tools).search("rename a file")`.
 *
 * @module
 */

export { fuseRankings } from "./search/rank-fusion.ts";
export {
  createToolIndex,
  type FoundTool,
  type ToolIndex,
  toolIndexSteps,
} from "./search/tool-index.ts";
export type { SearchableTool } from "./search/tool-text.ts";
export { ToolUsage } from "./search/tool-usage.ts";
