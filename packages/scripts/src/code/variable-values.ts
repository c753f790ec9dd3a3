import { type JsonValue, type ToolError, toolError, type VariableSystem } from "@capstan/core";
import { readBack } from "@capstan/core/host";

/** The values of variables by their names, with their structure where they have one. */
export async function readVariableValues(
  names: readonly string[],
  variables: VariableSystem,
): Promise<{ readonly [name: string]: JsonValue } | ToolError> {
  const values: [string, JsonValue][] = [];
  for (const name of names) {
    if (variables.peekVariable(name) === undefined) await readBack(variables, name);
    const found = variables.getVariable(name);
    if (found === undefined) return toolError(variables.missingVariable(name));
    values.push([name, found.value.data ?? found.value.text]);
  }
  return Object.fromEntries(values);
}
