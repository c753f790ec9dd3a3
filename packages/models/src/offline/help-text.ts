import type { ToolDefinition, JsonSchema, JsonValue } from "@capstan/core";

/** What `/help` answers: the language of lines, and each tool that is on with a line that calls it. */
export function helpText(tools: readonly ToolDefinition[]): string {
  return `## What the offline model understands

I am no AI: I run the lines you write, and tell what came of them.

- **A call**: \`/Tool {json}\`, one line. Without arguments \`/Tool\` is enough. The JSON is passed on as you typed it, so a mistake in it shows you the answer that a model would get.
- **Several calls at once**: several such lines in one message run side by side, in one turn.
- **One after another**: a line \`/then\` between them; what follows runs when the results of what came before are there.
- **A tool that is not there**: \`/Name!\` calls it all the same, to see what comes back.

## Results are kept

- Every result becomes a variable named after its tool, such as \`${sampleName(tools)}_1\`; \`/ListVars\` lists them, and \`/ReadVar {"name":"${sampleName(tools)}_1"}\` reads one, in pieces with \`start\` and \`length\`.
- \`$VAR_REF{{Name_1}}\` inside an argument puts the value there without its passing through a model; \`$VAR_REF{{Name_1:0:200}}\` takes a part of it.
- What a model is shown of a result is cut at some length. The argument \`limit\`, accepted by every tool of the server, sets that in characters; \`"limit": 0\` asks for all.

## Tools that are on

${toolLines(tools)}`;
}

function toolLines(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "None. Switch some on, then ask again.";
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
