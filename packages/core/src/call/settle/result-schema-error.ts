import { compileSchema } from "../../arguments/validator.ts";
import type { Tool } from "../../tool/tool.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { FormattedText } from "../record/formatted.ts";

const maxIssues = 8;

/** Returns an error if the result does not match the tool's declared schema. Content parts are not checked. */
export function resultSchemaError(
  { declaredReturnType, definition }: Tool,
  { data, text, parts }: FormattedText,
): ToolErrorData | undefined {
  const schema = declaredReturnType?.schema;
  if (schema === undefined || parts !== undefined) return undefined;
  const compiled = compileSchema(schema);
  if (compiled.status === "refused") return undefined;
  const issues = compiled.validator.validate(data === undefined ? text : data);
  if (issues.length === 0) return undefined;
  const lines = issues.slice(0, maxIssues).map(({ message }) => `- ${message}`);
  const message = `${definition.function.name} ran, but what it returned is not what it declares:\n${lines.join("\n")}\nDo not rely on its form; calling again is likely to give the same.`;
  return { code: "unexpected_result", message };
}
