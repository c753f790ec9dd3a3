import type { ToolDefinition, JsonSchema, JsonValue } from "@capstan/core";

/**
 * Returns the answer to `/help`: the syntax of lines, and each enabled tool with a line that calls
 * it.
 */
export function helpText(tools: readonly ToolDefinition[]): string {
  return `## What the offline model understands

I am not an AI: I run the lines that you write, and report their results.

- **A call**: \`/Tool {json}\`, on one line. Without arguments, \`/Tool\` is enough. The JSON is passed on as you typed it, so a mistake in it shows you the error that a model would get.
- **Several calls at once**: several such lines in one message run in parallel, in one turn.
- **One after another**: put a line \`/then\` between them; the lines after it run when the earlier results are there.
- **An unknown tool**: \`/Name!\` calls it anyway, to show you the error.

## Results are stored

- Every result becomes a variable named after its tool, such as \`${sampleName(tools)}_1\`; \`/ListVars\` lists them, and \`/ReadVar {"name":"${sampleName(tools)}_1"}\` reads one, in parts with \`start\` and \`length\`.
- \`$VAR_REF{{Name_1}}\` inside an argument inserts the value without passing through a model; \`$VAR_REF{{Name_1:0:200}}\` takes a part of it.
- A model sees long results truncated. The argument \`limit\`, which every tool of the server accepts, sets the length in characters; \`"limit": 0\` asks for all.

## Enabled tools

${toolLines(tools)}`;
}

function toolLines(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "None. Enable some, then ask again.";
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

interface TextPlace {
  /** The property's, or that of the list which it is in. */
  readonly name: string;
  readonly tool: string;
}

/** A text that a tool could take: by its format, its description's own example, or its name. */
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

/** Behind the words: something quoted, or all up to the end of the part of the sentence. */
const spokenExample =
  /\b(?:e\.g\.|for example),?\s+(?:"([^"]+)"|`([^`]+)`|(\S.*?)(?=[.,;:)]*(?:$|\s+(?:\(|or\b|for\b))|[.,;:)]+\s))/i;

function exampleIn(description: string): string | undefined {
  // Descriptions may come from anywhere, and be long.
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
