import { isObject } from "../arguments/json-type.ts";
import { parseArguments, type ParsedArguments } from "../arguments/parse.ts";
import { errorMessage } from "../errors/error-message.ts";
import { lostInJson } from "../output/lost-in-json.ts";

export type GivenArguments = ParsedArguments & { readonly text: string };

/**
 * Stage 2. A model's text is parsed; what a program gives is copied, so that what is proposed is
 * what runs, whatever becomes of its object.
 */
export function givenArguments(given: unknown): GivenArguments {
  if (typeof given === "string") return { ...parseArguments(given), text: given };
  if (given === undefined) return { status: "parsed", args: {}, repairs: [], text: "{}" };
  if (!isObject(given)) return refused(`an object was expected, not ${kindOf(given)}`);
  try {
    const text = JSON.stringify(given);
    const lost = lostInJson(given, text);
    if (lost !== undefined) return refused(`they hold ${lost}`);
    return { ...parseArguments(text), text };
  } catch (thrown) {
    return refused(errorMessage(thrown));
  }
}

function refused(why: string): GivenArguments {
  const message = `The arguments are not plain data: ${why}.`;
  return { status: "failed", error: { code: "invalid_arguments", message }, text: "" };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
