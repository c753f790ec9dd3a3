import type { PatternEngine } from "../../arguments/pattern-check.ts";
import { compileSchema } from "../../arguments/validator.ts";
import type { RegisteredTool } from "../../tool/registry.ts";

/** What cannot be used of a tool's schema. */
export interface SchemaProblem {
  /** `group.Tool`. */
  readonly toolId: string;
  /** Refused: the tool is not offered and cannot be called. Not enforced: some part is not heeded. */
  readonly status: "refused" | "not_enforced";
  readonly message: string;
}

/** The problems of one tool's schema; mostly none. */
export function schemaProblems(
  { id, tool }: RegisteredTool,
  pattern: PatternEngine | undefined,
): readonly SchemaProblem[] {
  const { parameters } = tool.definition.function;
  if (parameters === undefined) return [];
  const compiled = compileSchema(parameters, { pattern });
  return compiled.status === "refused"
    ? [{ toolId: id, status: "refused", message: compiled.message }]
    : compiled.notes.map((message) => ({ toolId: id, status: "not_enforced", message }));
}
