import type { ToolGroup } from "@capstan/core";
import { createToolExecutor } from "./create-tool-executor.ts";

/** Warnings for tools whose schema cannot be used, or is not wholly enforced. */
export function checkSchemas(groups: readonly ToolGroup[]): readonly string[] {
  return createToolExecutor({ groups })
    .schemaProblems()
    .map(({ toolId, status, message }) =>
      status === "refused"
        ? `The tool ${toolId} is left out, as its schema cannot be used: ${message}`
        : `The schema of ${toolId} is not wholly enforced: ${message}`,
    );
}
