import type { JsonObject, JsonSchema } from "../base/json.ts";
import { isObject } from "../json/json-value.ts";
import { readRelaxedJson, readRelaxedValue, type RelaxedJson } from "./relaxed-json.ts";
import { schemaView } from "./schema-view.ts";

/**
 * Reads a call's arguments from text that is not JSON, if it can mean only one object. The object
 * may be in a code fence, have prose around it, have one closing bracket too many, or lack its last
 * brace. The mistakes that {@link readRelaxedJson} accepts are always allowed.
 *
 * @returns undefined if there is no object, or more than one reading
 * @example
 * restoreArguments("Here you are:\n{'path': '.'}")
 * // { value: { path: "." },
 * //   repairs: ["removed the text around the object", "read single quotes as double quotes"] }
 */
export function restoreArguments(text: string): RelaxedJson | undefined {
  return restoreBrackets(text) ?? restoreFenced(text) ?? restoreWithin(text);
}

function restoreBrackets(text: string): RelaxedJson | undefined {
  const read = readRelaxedValue(text, 0);
  if (read === undefined || !isObject(read.value)) return undefined;
  const { value, repairs, end, unclosed } = read;
  if (unclosed === 1) return { value, repairs: [...repairs, "added the missing closing brace"] };
  if (end === text.length) return { value, repairs };
  const rest = text.slice(end).trim();
  if (rest !== "}" && rest !== "]") return undefined;
  return { value, repairs: [...repairs, "removed an extra closing bracket"] };
}

const fence = "```";

function restoreFenced(text: string): RelaxedJson | undefined {
  const [open, close] = [text.indexOf(fence), text.lastIndexOf(fence)];
  if (open < 0 || close === open || text.slice(0, open).includes("{")) return undefined;
  const body = text.slice(open + fence.length, close).replace(/^[a-zA-Z0-9]*\s/, "");
  const around = `${text.slice(0, open)}\n${text.slice(close + fence.length)}`;
  if (!isProse(around)) return undefined;
  const restored = restoreBrackets(body.trim());
  return restored && { ...restored, repairs: ["removed the code fence", ...restored.repairs] };
}

function restoreWithin(text: string): RelaxedJson | undefined {
  const start = text.indexOf("{");
  const read = start < 0 ? undefined : readRelaxedValue(text, start);
  if (read === undefined || read.unclosed === 1) return undefined;
  if (!isProse(text.slice(0, start)) || !isProse(text.slice(read.end))) return undefined;
  return { value: read.value, repairs: ["removed the text around the object", ...read.repairs] };
}

/** Longer texts around an object, in characters, are not read as prose. */
const longestProse = 5_000;

/**
 * Whether text around the object is only prose, without parts of the arguments. It has no quotes,
 * brackets or operators, and no single word before a colon, for example `to: Ann` or `filter:`.
 */
function isProse(text: string): boolean {
  return (
    text.length <= longestProse &&
    /^[\p{L}\p{M}\p{N}\s.,:;!?’()–—-]*$/u.test(text) &&
    !/(?:^|[\n.,;!?(])\s*[\w-]+\s*:/.test(text)
  );
}

const wrappers = new Set([
  "arguments",
  "args",
  "kwargs",
  "parameters",
  "params",
  "input",
  "tool_input",
]);

/**
 * Returns the arguments in an object whose only member is the arguments, under a key that the
 * tool's schema does not have.
 */
export function unwrapArguments(
  args: JsonObject,
  schema: JsonSchema,
): { readonly args: JsonObject; readonly repairs: readonly string[] } | undefined {
  const [[name, inner] = [], ...more] = Object.entries(args);
  if (name === undefined || more.length > 0 || !wrappers.has(name)) return undefined;
  if (schemaView(schema).keys(schema).includes(name)) return undefined;
  const value = typeof inner === "string" ? readRelaxedJson(inner)?.value : inner;
  return isObject(value)
    ? { args: value, repairs: [`took the arguments from "${name}"`] }
    : undefined;
}
