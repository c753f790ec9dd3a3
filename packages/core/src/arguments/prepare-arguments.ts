import type { JsonObject, JsonSchema, JsonValue } from "../base/json.ts";
import type { ToolErrorData } from "../base/tool-error.ts";
import { isList, isObject } from "../json/json-type.ts";
import { nearestNames } from "../text/nearest-name.ts";
import { coerceArguments } from "./coerce-types.ts";
import { type SchemaAt, schemaView } from "./schema-view.ts";
import { type CompileOptions, compileSchema, type ValidationIssue } from "./validator.ts";

const maxIssues = 8;

export type PreparedArguments =
  | { readonly status: "valid"; readonly args: JsonObject; readonly repairs: readonly string[] }
  | { readonly status: "invalid"; readonly error: ToolErrorData };

/**
 * Validates arguments, and where that fails repairs them without loss and validates again.
 *
 * @param schema of the arguments; without one, anything goes
 * @returns the arguments with what was repaired, or an error (`invalid_arguments`) from which a
 * model can correct its call; `invalid_schema` where the tool's schema cannot be used
 */
export function prepareArguments(
  args: JsonObject,
  schema: JsonSchema | undefined,
  options: CompileOptions = {},
): PreparedArguments {
  if (schema === undefined) return { status: "valid", args, repairs: [] };
  const compiled = compileSchema(schema, options);
  if (compiled.status === "refused") {
    const message = `The tool's schema cannot be used, so it cannot be called: ${compiled.message}`;
    return { status: "invalid", error: { code: "invalid_schema", message } };
  }
  const { validator } = compiled;
  if (validator.isValid(args)) return { status: "valid", args, repairs: [] };
  const repaired = coerceArguments(args, schema);
  if (repaired && validator.isValid(repaired.args)) return { status: "valid", ...repaired };
  const left = repaired?.args ?? args;
  return { status: "invalid", error: argumentsError(validator.validate(left), left, schema) };
}

function argumentsError(
  issues: readonly ValidationIssue[],
  args: JsonObject,
  schema: JsonSchema,
): ToolErrorData {
  const shown = issues.slice(0, maxIssues);
  const lines = shown.map((issue) => `- ${issue.message}${suggestion(issue, args, schema)}`);
  const more = issues.length > maxIssues ? `\n- and ${issues.length - maxIssues} more` : "";
  const details = shown.map(({ path, expected, received, keyword }) => ({
    path,
    expected,
    received,
    keyword,
  }));
  const message = `The arguments do not fit:\n${lines.join("\n")}${more}\nCorrect these and call again.`;
  return { code: "invalid_arguments", message, details };
}

/** For an unknown property: the names that it may be meant for, or the ones there are. For a missing one: a name that may be meant by it. */
function suggestion(issue: ValidationIssue, args: JsonObject, schema: JsonSchema): string {
  if (issue.keyword !== "additionalProperties" && issue.keyword !== "required") return "";
  const parts = issue.path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const name = parts.pop() ?? "";
  const view = schemaView(schema);
  let [at, value]: [SchemaAt, JsonValue | undefined] = [schema, args];
  for (const part of parts) {
    const key: string | number = isList(value) ? Number(part) : part;
    at = view.child(at, key, value);
    value = isObject(value) ? value[part] : isList(value) ? value[Number(part)] : undefined;
  }
  const known = view.keys(at);
  if (issue.keyword === "required") {
    const unknown = isObject(value) ? Object.keys(value).filter((key) => !known.includes(key)) : [];
    const meant = nearestNames(name, unknown, 1)[0];
    return meant === undefined ? "" : `; did you mean it by ${meant}?`;
  }
  const nearest = nearestNames(name, known, 1)[0];
  if (nearest !== undefined) return `; did you mean ${nearest}?`;
  return known.length === 0 ? "" : `; known are ${known.slice(0, 20).join(", ")}`;
}
