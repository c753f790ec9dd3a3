import {
  type PreparedArguments,
  prepareArguments,
  parseArguments,
  type ParsedArguments,
} from "../../arguments/prepare-arguments.ts";
import type { PatternEngine } from "../../arguments/pattern-check.ts";
import { errorMessage } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Tool } from "../../tool/tool.ts";
import { isObject, lostInJson } from "../../json/json-value.ts";
import type { Gate } from "../gate/gate.ts";

/**
 * Stage 4: whether arguments fit a tool, by its schema and its own check; what can be repaired
 * without loss is. A promise only where the tool's own check needs one.
 *
 * @param patternEngine for patterns that JavaScript's own engine could hang on; without it they
 *   are not enforced
 * @returns the arguments that would run, or an error that says what does not fit
 * @example await checkArguments(viewFile, { path: 5 }) // valid, with path "5"
 */
export function checkArguments(
  tool: Tool,
  args: JsonObject,
  patternEngine?: PatternEngine,
): PreparedArguments | Promise<PreparedArguments> {
  const { name, parameters } = tool.definition.function;
  const prepared = prepareArguments(args, parameters, { pattern: patternEngine });
  if (prepared.status === "invalid" || tool.check === undefined) return prepared;
  try {
    const problems = tool.check(prepared.args);
    if (!(problems instanceof Promise)) return refuseFor(name, problems) ?? prepared;
    return problems.then(
      (found) => refuseFor(name, found) ?? prepared,
      (thrown: unknown) => checkFailed(name, thrown),
    );
  } catch (thrown) {
    return checkFailed(name, thrown);
  }
}

function refuseFor(name: string, problems: readonly string[]): PreparedArguments | undefined {
  if (problems.length === 0) return undefined;
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  const message = `The arguments of ${name} were refused:\n${list}\nCorrect them and call again.`;
  return { status: "invalid", error: { code: "invalid_arguments", message } };
}

function checkFailed(name: string, thrown: unknown): PreparedArguments {
  const message = `${name} could not check its arguments: ${errorMessage(thrown)}`;
  return { status: "invalid", error: { code: "check_failed", message } };
}

export interface ReadArguments {
  readonly parsed: ParsedArguments;
  /** As they were written. */
  readonly text: string;
}

/**
 * Stage 2. A model's text is parsed; what a program gives is copied, so that what is proposed is
 * what runs, whatever becomes of its object.
 *
 * @param isCutOff whether the model's answer ended in the middle of the text
 */
export function readArguments(given: unknown, isCutOff = false): ReadArguments {
  if (typeof given === "string")
    return { parsed: parseArguments(given, { isCutOff }), text: given };
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

/**
 * Checks arguments that a person put in place of the requested ones, as the model's are checked, and
 * copies them. References in them are not resolved.
 */
export function checkEditedArguments(
  { patternEngine }: Pick<Gate, "patternEngine">,
  tool: Tool,
  edited: unknown,
): PreparedArguments | Promise<PreparedArguments> {
  const { parsed } = readArguments(edited);
  return parsed.status === "failed"
    ? { status: "invalid", error: parsed.error }
    : checkArguments(tool, parsed.args, patternEngine);
}
