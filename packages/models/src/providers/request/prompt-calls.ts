import type { ToolCallRequest, ToolDefinition } from "@capstan/core";
import { customInput } from "@capstan/core/host";
import type { Dialect } from "./dialect.ts";

export interface PromptCall {
  readonly call: ToolCallRequest;
  /** The id and the name of the call in the prompt. */
  readonly promptId: string;
  readonly promptName: string;
  /** The arguments: the text of a JSON object, an object, or the text of a custom tool. */
  readonly input: unknown;
}

/**
 * Returns a function that converts calls to a form that the provider accepts: a valid and unique
 * id, a valid name, and an object as arguments. Valid values do not change, so that prompt caches
 * stay valid.
 */
export function createPromptCalls(
  dialect: Pick<Dialect, "idLength" | "illegalInIds" | "namesBeginWithLetter">,
  custom: ReadonlySet<string> = new Set(),
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
    const { name: ownName, arguments: args } = call.function;
    const name = promptName(ownName, dialect);
    const input = custom.has(name) ? customInput(args) : promptInput(args);
    return { call, promptId: unique, promptName: name, input };
  };
}

/**
 * Returns a valid name. Models also invent names, and providers reject prompts with invalid names.
 */
export function promptName(
  name: string,
  { namesBeginWithLetter }: Pick<Dialect, "namesBeginWithLetter">,
): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_") || "unnamed";
  const begun = namesBeginWithLetter && /^[^a-zA-Z_]/.test(plain) ? `_${plain}` : plain;
  return begun.slice(0, 64);
}

/** Returns the names of tools that have another name at the provider, keyed by that name. */
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

/**
 * Returns the arguments as the model wrote them, or an object that contains them if they are not an
 * object.
 */
function promptInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return hasPrototypeKeys(value) ? value : text;
  } catch {
    // Invalid JSON is shown to the model in the object below.
  }
  return { invalid_arguments: text };
}

/**
 * Whether a key is `__proto__` or `constructor`. The providers' packages do not parse text with
 * such keys and send no arguments.
 */
function hasPrototypeKeys(value: unknown): boolean {
  return /"(?:__proto__|constructor)":/.test(JSON.stringify(value));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
