import { isObject } from "../../json/json-value.ts";
import type { Tool } from "../../tool/tool.ts";

/**
 * The arguments that an item of each hosted type shows. A tool of the type must take one of them.
 */
const argumentsOf: { readonly [type: string]: readonly string[] } = {
  web_search: ["query", "queries"],
  file_search: ["query", "queries"],
  image_generation: ["prompt"],
  code_interpreter: ["code"],
};

/**
 * Returns why a tool cannot be bound to a hosted type, or `undefined` if it can: it must run on the
 * server, and take an argument of the type.
 *
 * @example hostedToolProblem("web_search", tool) // "it has no text argument query or queries"
 */
export function hostedToolProblem(
  type: string,
  tool: Pick<Tool, "definition" | "execute">,
): string | undefined {
  if (tool.execute === undefined) return "a client runs it";
  const names = Object.hasOwn(argumentsOf, type) ? argumentsOf[type] : undefined;
  if (names === undefined) return undefined;
  const { parameters = {} } = tool.definition.function;
  // A schema with references or combinations can declare properties elsewhere.
  if (["$ref", "allOf", "anyOf", "oneOf"].some((key) => key in parameters)) return undefined;
  const { properties } = parameters as { readonly properties?: unknown };
  const known = isObject(properties) ? properties : {};
  const takes = names.some((name) => Object.hasOwn(known, name) && takesText(known[name]));
  return takes ? undefined : `it has no text argument ${names.join(" or ")}`;
}

/** Whether the schema of an argument allows a text, or a list. */
function takesText(schema: unknown): boolean {
  if (!isObject(schema)) return schema === true;
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return types.some((each) => each === undefined || each === "string" || each === "array");
}
