import { isObject } from "../json/json-value.ts";
import type { ToolDefinition } from "../model/model.ts";
import { searchWords } from "./search-words.ts";

/** A tool that can be found. */
export interface SearchableTool {
  /** `group.Tool`, or the name of a client's tool. */
  readonly id: string;
  readonly definition: ToolDefinition;
  readonly group?: {
    readonly name: string;
    readonly title?: string;
    readonly description?: string;
  };
}

/** The fields of a tool, with the weight of a word in them, and of the field's length. */
export const fields = {
  name: { weight: 3, length: 0.4 },
  summary: { weight: 1.8, length: 0.5 },
  description: { weight: 0.7, length: 0.75 },
  parameters: { weight: 0.7, length: 0.75 },
  parameterTexts: { weight: 0.3, length: 0.75 },
  group: { weight: 0.8, length: 0.3 },
} as const;

export type Field = keyof typeof fields;

/** The terms of a tool's fields. */
export type ToolText = { readonly [field in Field]: readonly string[] };

const maxParameters = 100;
const maxDepth = 3;

/** Returns the terms of a tool, by field. */
export function toolText({ definition, group }: SearchableTool): ToolText {
  const { name, description = "", parameters } = definition.function;
  const [summary, rest] = firstSentence(description);
  const names: string[] = [];
  const texts: string[] = [];
  collectParameters(parameters, { names, texts, depth: 0 });
  const { title = "", description: about = "" } = group ?? {};
  return {
    name: terms(name),
    summary: terms(summary),
    description: terms(rest),
    parameters: terms(names.join(" ")),
    parameterTexts: terms(texts.join(" ")),
    group: terms(`${group?.name ?? ""} ${title} ${firstSentence(about)[0]}`),
  };
}

function terms(text: string): readonly string[] {
  return searchWords(text).map(({ term }) => term);
}

/** Returns a description's first sentence, and the rest. */
function firstSentence(text: string): readonly [string, string] {
  const end = text.slice(0, 300).search(/[.!?](?=\s)|[。！？\n]/u);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}

interface Collected {
  readonly names: string[];
  readonly texts: string[];
  readonly depth: number;
}

function collectParameters(schema: unknown, { names, texts, depth }: Collected): void {
  if (!isObject(schema) || depth > maxDepth) return;
  const { properties, items } = schema;
  collectParameters(items, { names, texts, depth: depth + 1 });
  if (!isObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (names.length >= maxParameters) return;
    names.push(name);
    if (!isObject(property)) continue;
    const { description, enum: values } = property;
    if (typeof description === "string") texts.push(description.slice(0, 300));
    if (Array.isArray(values))
      texts.push(
        values
          .filter((value) => typeof value === "string")
          .slice(0, 20)
          .join(" "),
      );
    collectParameters(property, { names, texts, depth: depth + 1 });
  }
}
