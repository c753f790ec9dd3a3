import type { ToolDefinition, JsonSchema, JsonValue } from "@capstan/core";

/**
 * Returns the answer to `/help`: the syntax of lines, and each enabled tool with a line that calls
 * it.
 */
export function helpText(tools: readonly ToolDefinition[]): string {
  return `## Commands of the offline model

The offline model is not an AI. It runs your commands and reports their results.

- **One call**: write \`/Tool {json}\` on one line, or \`/Tool\` if it needs no arguments. The JSON is not corrected: invalid JSON shows you the error that a model would get.
- **Parallel calls**: write several such lines in one message.
- **Sequential calls**: write a line \`/then\` between them. The lines after it run when the earlier calls have ended.
- **An unknown tool**: \`/Name!\` calls a tool that does not exist or is disabled, to show you the error.

## Results are stored

- Every result is stored as a variable that is named after its tool, for example \`${sampleName(tools)}_1\`; \`/ListVars\` lists them, and \`/ReadVar {"name":"${sampleName(tools)}_1"}\` reads one, in parts with \`start\` and \`length\`.
- \`$VAR_REF{{Name_1}}\` in an argument inserts the value, so that the model does not need to copy it; \`$VAR_REF{{Name_1:0:200}}\` inserts a part of it.
- A model sees long results truncated. The argument \`limit\`, which every tool of the server accepts, sets the length in characters; \`"limit": 0\` returns all of it.

## Enabled tools

${toolLines(tools)}`;
}

function toolLines(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "None. Enable a tool, then send `/help` again.";
  return tools
    .map((tool) => `- \`${exampleLine(tool)}\`${describe(tool.function.description)}`)
    .join("\n");
}

function describe(description: string | undefined): string {
  const sentence = /^[\s\S]*?[.!?](?=\s|$)/.exec(description ?? "")?.[0] ?? description ?? "";
  const line = sentence.replaceAll(/\s+/g, " ").trim();
  if (line === "") return "";
  return ` ${line.length > 160 ? `${line.slice(0, 159).toWellFormed()}…` : line}`;
}

function sampleName(tools: readonly ToolDefinition[]): string {
  return tools.find(({ function: { name } }) => !/Vars?$/.test(name))?.function.name ?? "Name";
}

/**
 * Returns a line that calls the tool, from its JSON Schema: the required parameters with the
 * schema's own example, default or first choice, or with a value that their description or name
 * suggests.
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

/** Returns a plausible value for a parameter of a tool. */
export function exampleOf(schema: JsonSchema, place: TextPlace, depth: number): JsonValue {
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

interface TextPlace {
  /** The name of the property, or of the list that contains the value. */
  readonly name: string;
  readonly tool: string;
}

/**
 * Returns a plausible value for a string parameter, from its format, its description or its name.
 */
function exampleText(schema: JsonSchema, { name, tool }: TextPlace): string {
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  return (
    textOfFormat(schema["format"]) ??
    exampleIn(description) ??
    textOfName(name, `${name} ${description}`, tool) ??
    (name || "text")
  );
}

function textOfFormat(format: unknown): string | undefined {
  switch (format) {
    case "uri":
      return "https://example.org/";
    case "date-time":
      return "2026-01-31T12:00:00Z";
    case "date":
      return "2026-01-31";
    default:
      return undefined;
  }
}

/**
 * Matches "e.g." or "for example" with the following quoted text, or with the text up to the end of
 * the clause.
 */
const spokenExample =
  /\b(?:e\.g\.|for example),?\s+(?:"([^"]+)"|`([^`]+)`|(\S.*?)(?=[.,;:)]*(?:$|\s+(?:\(|or\b|for\b))|[.,;:)]+\s))/i;

function exampleIn(description: string): string | undefined {
  // Limit the length, because descriptions may come from untrusted servers.
  const match = spokenExample.exec(description.slice(0, 500).replaceAll(/\s+/g, " ").trim());
  return match?.slice(1).find((text) => text !== undefined);
}

function textOfName(name: string, words: string, tool: string): string | undefined {
  if (/url|uri|href/i.test(name)) return "https://example.org/";
  if (/glob/i.test(name)) return "*.md";
  if (/json/i.test(name)) return '{"a":1}';
  if (!/path|(?<!pro)file|folder|director|^dir$/i.test(name)) return undefined;
  const [first = ""] =
    /file|folder|director/i.exec(words) ??
    /list|find|search|folder|director|tree/i.exec(tool) ??
    [];
  return first === "" || /file/i.test(first) ? "README.md" : ".";
}
