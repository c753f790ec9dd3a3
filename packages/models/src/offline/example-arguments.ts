import type { JsonSchema, JsonValue, ToolDefinition } from "@capstan/core";

/**
 * A line that calls the tool, made from its JSON Schema: what is required, with the schema's own
 * example, default or first choice where it has one.
 *
 * @example exampleLine(listFiles); // '/ListFiles {"path":"."}'
 */
export function exampleLine(tool: ToolDefinition): string {
  const { name, parameters } = tool.function;
  const example = parameters === undefined ? {} : exampleOf(parameters, "", 0);
  const text = JSON.stringify(example);
  return text === "{}" ? `/${name}` : `/${name} ${text}`;
}

function exampleOf(schema: JsonSchema, name: string, depth: number): JsonValue {
  const given = givenExample(schema);
  if (given !== undefined) return given;
  if (depth > 4) return null;
  const [choice] = listOf(schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"]);
  const type = Array.isArray(schema["type"]) ? (schema["type"] as unknown[])[0] : schema["type"];
  if (type === undefined && isSchema(choice)) return exampleOf(choice, name, depth + 1);
  switch (type) {
    case "object":
    case undefined:
      return exampleObject(schema, depth);
    case "array":
      return isSchema(schema["items"]) ? [exampleOf(schema["items"], name, depth + 1)] : [];
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "string":
      return exampleText(schema, name);
    default:
      return null;
  }
}

function exampleObject(schema: JsonSchema, depth: number): JsonValue {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]).filter((name) => typeof name === "string");
  return Object.fromEntries(
    required.map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isSchema(property) ? exampleOf(property, name, depth + 1) : "…"];
    }),
  );
}

function exampleText(schema: JsonSchema, name: string): string {
  if (schema["format"] === "uri" || /url|uri|href/i.test(name)) return "https://example.org/";
  if (schema["format"] === "date-time") return "2026-01-31T12:00:00Z";
  if (schema["format"] === "date") return "2026-01-31";
  if (/path|file|folder|director/i.test(name)) return ".";
  return name || "text";
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
