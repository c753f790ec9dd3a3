import { isObject, lostInJson } from "../../json/json-value.ts";
import { parseArguments, type ParsedArguments } from "../../arguments/prepare-arguments.ts";
import { errorMessage } from "../../base/errors.ts";

export interface ReadArguments {
  readonly parsed: ParsedArguments;
  /** As they were written. */
  readonly text: string;
}

/**
 * Stage 2. A model's text is parsed; what a program gives is copied, so that what is proposed is
 * what runs, whatever becomes of its object.
 */
export function readArguments(given: unknown): ReadArguments {
  if (typeof given === "string") return { parsed: parseArguments(given), text: given };
  if (given === undefined)
    return { parsed: { status: "parsed", args: {}, repairs: [] }, text: "{}" };
  if (!isObject(given)) return refused(`an object was expected, not ${kindOf(given)}`);
  try {
    const text = JSON.stringify(given);
    const lost = lostInJson(given, text);
    if (lost !== undefined) return refused(`they hold ${lost}`);
    return { parsed: parseArguments(text), text };
  } catch (thrown) {
    return refused(errorMessage(thrown));
  }
}

function refused(why: string): ReadArguments {
  const message = `The arguments are not plain data: ${why}.`;
  const error = { code: "invalid_arguments", message };
  return { parsed: { status: "failed", error }, text: "" };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
