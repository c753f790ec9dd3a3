import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ToolErrorData } from "../base/tool-error.ts";
import { describeType, isList, isObject } from "../json/json-type.ts";
import { scanJson } from "../json/json-scan.ts";

/** How deep arguments may nest. */
export const maxArgumentsDepth = 200;

export type ParsedArguments =
  | { readonly status: "parsed"; readonly args: JsonObject; readonly repairs: readonly string[] }
  | { readonly status: "failed"; readonly error: ToolErrorData };

const codeFence = /^```[a-zA-Z0-9]*[^\S\n]*\n([\s\S]*)\n?```$/;

/**
 * Reads a call's arguments as a model wrote them. Nothing written means `{}`. What is broken is
 * repaired only where nothing can be lost: a code fence around the JSON, commas before a closing
 * bracket, and an object that was written as one JSON string.
 *
 * @returns the arguments and what was repaired, in words; or an error that tells a model what to send
 * @example parseArguments('```json\n{"path": ".",}\n```')
 * // { status: "parsed", args: { path: "." }, repairs: ["took the code fence off", "took a trailing comma out"] }
 */
export function parseArguments(text: string): ParsedArguments {
  const repairs: string[] = [];
  let json = text.trim();
  if (json === "") return { status: "parsed", args: {}, repairs };
  const fenced = json.startsWith("```") ? codeFence.exec(json)?.[1] : undefined;
  if (fenced !== undefined) {
    repairs.push("took the code fence off");
    json = fenced.trim();
  }
  let parsed = parseJson(json);
  if (parsed.status === "broken") {
    const mended = withoutTrailingCommas(json);
    const again = mended === json ? parsed : parseJson(mended);
    if (again.status === "broken")
      return failed(`The arguments are not valid JSON: ${parsed.reason}.`);
    repairs.push("took a trailing comma out");
    [json, parsed] = [mended, again];
  }
  let value = parsed.value;
  if (typeof value === "string" && value.trim().startsWith("{")) {
    const inner = parseJson(value);
    if (inner.status === "broken")
      return failed(
        `The arguments are a JSON string whose text is not valid JSON: ${inner.reason}.`,
      );
    repairs.push("took the object out of a JSON string");
    [json, value] = [value, inner.value];
  }
  if (!isObject(value)) return failed(`The arguments are ${describeType(value)}, not an object.`);
  const problem = lossProblem(json, value);
  return problem === undefined ? { status: "parsed", args: value, repairs } : failed(problem);
}

type ParsedJson =
  | { readonly status: "parsed"; readonly value: JsonValue }
  | { readonly status: "broken"; readonly reason: string };

function parseJson(text: string): ParsedJson {
  try {
    return { status: "parsed", value: JSON.parse(text) as JsonValue };
  } catch (thrown) {
    return {
      status: "broken",
      reason: thrown instanceof Error ? thrown.message.slice(0, 200) : "it cannot be read",
    };
  }
}

/** What would be lost or go wrong with JSON that can be parsed. */
function lossProblem(json: string, value: JsonValue): string | undefined {
  // Each level takes two brackets.
  if (json.length > 2 * maxArgumentsDepth && isDeeper(value, maxArgumentsDepth)) {
    return `The arguments are nested ${scanJson(json).depth} levels deep; at most ${maxArgumentsDepth} are read.`;
  }
  const inexact = /\d{16}|\d[eE]\+?\d{3}/.test(json) ? scanJson(json).inexact : undefined;
  if (inexact === undefined) return undefined;
  return `The number ${inexact.slice(0, 40)} in the arguments is more than a number can hold; send it as a string if the tool takes one.`;
}

function isDeeper(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (isList(value)) return value.some((item) => isDeeper(item, levels - 1));
  return isObject(value) && Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function withoutTrailingCommas(json: string): string {
  let mended = "";
  let from = 0;
  for (const at of scanJson(json).trailingCommas) {
    mended += json.slice(from, at);
    from = at + 1;
  }
  return mended + json.slice(from);
}

function failed(problem: string): ParsedArguments {
  const message = `${problem} Send one JSON object, for example {"name": "value"}.`;
  return { status: "failed", error: { code: "invalid_arguments", message } };
}
