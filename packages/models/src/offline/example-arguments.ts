import type { JsonSchema, JsonValue, ToolDefinition } from "@capstan/core";
import { exampleText, type TextPlace } from "./example-text.ts";

/**
 * A line that calls the tool, made from its JSON Schema: what is required, with the schema's own
 * example, default or first choice where it has one, else with what its description or name suggests.
 *
 * @example exampleLine(listFiles); // '/ListFiles {"path":"."}'
 */
export function exampleLine(tool: ToolDefinition): string {
  const { name, parameters } = tool.function;
  const example =
    parameters === undefined ? {} : exampleOf(parameters, { name: "", tool: name }, 0);
  const text = JSON.stringify(example);
  return text === "{}" ? `/${name}` : `/${name} ${text}`;
}

function exampleOf(schema: JsonSchema, place: TextPlace, depth: number): JsonValue {
  const given = givenExample(schema);
  if (given !== undefined) return given;
  if (depth > 4) return null;
  const [choice] = listOf(schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"]);
  const type = Array.isArray(schema["type"]) ? (schema["type"] as unknown[])[0] : schema["type"];
  if (type === undefined && isSchema(choice)) return exampleOf(choice, place, depth + 1);
  switch (type) {
    case "object":
    case undefined:
      return exampleObject(schema, place, depth);
    case "array":
      return isSchema(schema["items"])
        ? [exampleOf({ description: schema["description"], ...schema["items"] }, place, depth + 1)]
        : [];
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "string":
      return exampleText(schema, place);
    default:
      return null;
  }
}

function exampleObject(schema: JsonSchema, { tool }: TextPlace, depth: number): JsonValue {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]).filter((name) => typeof name === "string");
  return Object.fromEntries(
    required.map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isSchema(property) ? exampleOf(property, { name, tool }, depth + 1) : "…"];
    }),
  );
}

function givenExample(schema: JsonSchema): JsonValue | undefined {
  const [example] = listOf(schema["examples"]);
  const [choice] = listOf(schema["enum"]);
  return (schema["const"] ?? example ?? schema["default"] ?? choice) as JsonValue | undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
