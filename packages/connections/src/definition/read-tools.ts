import type { JsonSchema } from "@capstan/core";
import { compileSchema, errorMessage, schemaDepthProblem } from "@capstan/core/host";
import { visibleText } from "@capstan/core/text";
import { type DefinitionLimits, definitionLimits } from "./definition-limits.ts";
import { safeName } from "./safe-name.ts";
import { cutText, longestDescription, annotationKeywords, visibleTexts } from "./visible-texts.ts";
import { definitionDigest, type ServerTool } from "./server-tool.ts";

/** The maximum number of tools of one server. */
const mostTools = 1_000;
/** The maximum length of a title, in characters. */
const longestTitle = 100;
/** The longest name that a server may give a tool. */
const longestName = 256;
/** The maximum length of a definition as JSON, in characters. */
const largestSchema = 64 * 1024;

/** The usable tools of a server's list, and the problems of the others. */
export interface ReadTools {
  readonly tools: readonly ServerTool[];
  /** For users: each names a tool and its problem. */
  readonly notes: readonly string[];
}

/**
 * Reads the tools that a server lists, one in each step. The list is untrusted: a tool that cannot be
 * used is left out with a note, and the others stay. Call `loadSchemaChecks` first.
 */
export function* toolReadingSteps(listed: readonly unknown[]): Generator<void, ReadTools> {
  const tools = new Map<string, ServerTool>();
  const limits = definitionLimits();
  const notes: string[] = [];
  if (listed.length > mostTools)
    notes.push(`The server lists ${listed.length} tools. Only the first ${mostTools} are used.`);
  for (const [index, raw] of listed.slice(0, mostTools).entries()) {
    yield;
    const read = readTool(raw, limits);
    if (read.status === "refused") {
      notes.push(`Tool ${index + 1}${read.named}: ${read.problem}`);
      continue;
    }
    const { tool } = read;
    if (tools.has(tool.safeName))
      notes.push(`Tool ${index + 1} (${tool.safeName}): another tool has the same name.`);
    else tools.set(tool.safeName, tool);
  }
  return { tools: [...tools.values()], notes: notes.slice(0, 50) };
}

type Read =
  | { readonly status: "read"; readonly tool: ServerTool }
  | { readonly status: "refused"; readonly named: string; readonly problem: string };

function readTool(raw: unknown, limits: DefinitionLimits): Read {
  const refused = (problem: string, named = ""): Read => ({ status: "refused", named, problem });
  if (!isObject(raw)) return refused("it is not an object.");
  const { name, title, description, inputSchema, outputSchema } = raw;
  if (typeof name !== "string" || name === "") return refused("it has no name.");
  if (name.length > longestName) return refused(`its name is longer than ${longestName}.`);
  const named = ` (${visibleText(name)})`;
  const tooMuch = limits.problemOf(raw);
  if (tooMuch !== undefined) return refused(tooMuch, named);
  const problem = schemaProblem(inputSchema);
  if (problem !== undefined) return refused(`its schema cannot be used: ${problem}`, named);
  try {
    const shown =
      typeof title === "string" && title !== "" ? cutText(title, longestTitle) : undefined;
    const output = isObject(outputSchema) && schemaProblem(outputSchema) === undefined;
    return {
      status: "read",
      tool: {
        name,
        safeName: safeName(name),
        ...(shown !== undefined && { title: shown }),
        description:
          typeof description === "string" && description.trim() !== ""
            ? cutText(description.trim(), longestDescription)
            : (shown ?? ""),
        inputSchema: visibleTexts(inputSchema) as JsonSchema,
        ...(output && { outputSchema }),
        annotations: annotationsOf(raw["annotations"]),
        digest: definitionDigest(raw),
      },
    };
  } catch (thrown) {
    return refused(errorMessage(thrown), named);
  }
}

/** Drops annotations that are not booleans. A missing annotation counts as the strictest value. */
function annotationsOf(raw: unknown): ServerTool["annotations"] {
  if (!isObject(raw)) return {};
  const hint = (name: string) => (typeof raw[name] === "boolean" ? raw[name] : undefined);
  const given = {
    readOnly: hint("readOnlyHint"),
    idempotent: hint("idempotentHint"),
    destructive: hint("destructiveHint"),
    openWorld: hint("openWorldHint"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "it is not an object.";
  if (schema["type"] !== "object") return 'its type is not "object".';
  const tooDeep = schemaDepthProblem(schema);
  if (tooDeep !== undefined) return tooDeep;
  const text = JSON.stringify(schema);
  if (text.length > largestSchema) return `it has more than ${largestSchema} characters.`;
  const hidden = hiddenValue(schema);
  if (hidden !== undefined)
    return `it contains the invisible characters ${visibleText(hidden)} in a name or a value.`;
  const compiled = compileSchema(schema);
  return compiled.status === "refused" ? compiled.message : undefined;
}

/** Returns a name or a value of a schema that contains invisible characters. */
function hiddenValue(value: unknown, key = "", inProperties = false): string | undefined {
  if (typeof value === "string") {
    const isAnnotation = annotationKeywords.has(key) && !inProperties;
    return isAnnotation || visibleText(value) === value ? undefined : value.slice(0, 60);
  }
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = hiddenValue(item);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (visibleText(name) !== name) return name.slice(0, 60);
    const found = hiddenValue(member, name, key === "properties");
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
