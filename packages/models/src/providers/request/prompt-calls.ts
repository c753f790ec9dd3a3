import type { ToolCallRequest, ToolDefinition } from "@capstan/core";
import type { Dialect } from "./dialect.ts";

export interface PromptCall {
  readonly call: ToolCallRequest;
  /** The id and the name that it goes by in the prompt. */
  readonly promptId: string;
  readonly promptName: string;
  /** Text of a JSON object, else an object. */
  readonly input: unknown;
}

/**
 * Writes the calls of a prompt in a form that its provider accepts: a legal and unique id, a name,
 * and arguments that are an object. Valid values are unchanged, so that prompt caches stay valid.
 */
export function createPromptCalls(
  dialect: Pick<Dialect, "idLength" | "illegalInIds" | "namesBeginWithLetter">,
): (call: ToolCallRequest) => PromptCall {
  const { idLength, illegalInIds } = dialect;
  const used = new Set<string>();
  return (call) => {
    const plain = call.id.replaceAll(illegalInIds, "_").slice(0, idLength) || "call";
    let unique = plain;
    for (let count = 2; used.has(unique); count++) {
      const suffix = `_${count}`;
      unique = plain.slice(0, idLength - suffix.length) + suffix;
    }
    used.add(unique);
    const { name, arguments: args } = call.function;
    return {
      call,
      promptId: unique,
      promptName: promptName(name, dialect),
      input: promptInput(args),
    };
  };
}

/** Models make names up, too, and every provider refuses a prompt that holds one it would not take. */
export function promptName(
  name: string,
  { namesBeginWithLetter }: Pick<Dialect, "namesBeginWithLetter">,
): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "unnamed";
  const begun = namesBeginWithLetter && /^[^a-zA-Z_]/.test(plain) ? `_${plain}` : plain;
  return begun.slice(0, 64);
}

/** The tools that go by another name at a provider: their own names, by those. */
export function ownNames(
  tools: readonly ToolDefinition[],
  dialect: Pick<Dialect, "namesBeginWithLetter">,
): ReadonlyMap<string, string> {
  const names = tools.map((tool) => tool.function.name);
  const others = names.flatMap((name) => {
    const other = promptName(name, dialect);
    return other === name ? [] : [[other, name] as const];
  });
  return new Map(others);
}

/** The model's text if it is an object; providers accept nothing else. */
function promptInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return hasPrototypeKeys(value) ? value : text;
  } catch {
    // Falls through: what the model wrote is shown to it as it was.
  }
  return { invalid_arguments: text };
}

/** Text with such keys the providers' packages do not parse, and send nothing in its place. */
function hasPrototypeKeys(value: unknown): boolean {
  return /"(?:__proto__|constructor)":/.test(JSON.stringify(value));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
