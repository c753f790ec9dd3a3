import type { CallResult, JsonObject, JsonValue } from "@capstan/core";

/** Returns why a call failed, as clients and models read it. */
export function failureText({ error, rejectReason, finalText }: CallResult): string {
  const text = error?.message ?? rejectReason ?? finalText;
  const printed = outputOf(error?.details);
  return printed === undefined ? text : `${text}\n\nIt had printed:\n${printed}`;
}

/** Returns the output of code that failed or was stopped. */
function outputOf(details: JsonValue | undefined): string | undefined {
  const isObject = typeof details === "object" && details !== null && !Array.isArray(details);
  const output = isObject ? (details as JsonObject)["output"] : undefined;
  return typeof output === "string" && output !== "" ? output : undefined;
}
