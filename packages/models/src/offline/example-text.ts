import type { JsonSchema } from "@capstan/core";

/** What a text is for. */
export interface TextPlace {
  /** The property's, or that of the list which it is in. */
  readonly name: string;
  readonly tool: string;
}

/** A text that a tool could take: by its format, its description's own example, or its name. */
export function exampleText(schema: JsonSchema, { name, tool }: TextPlace): string {
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
