import type { JsonObject } from "../base/json.ts";
import { resultNameOf } from "./result-name.ts";
import { unitOf, type VariableEntry, variableOf } from "./variable-entry.ts";
import { type MeasuredValue, measureValue } from "./variable-input.ts";
import type { Variable, VariableValue } from "./variable.ts";

const shownArguments = 200;
const noTags: readonly string[] = [];

/** The two values of a kept result. Data that is not JSON is left out where the text can stand for it. */
export function measureResult(
  names: { readonly result: string; readonly args: string },
  value: VariableValue,
  args: JsonObject,
  limit: number,
): { result: MeasuredValue; args: MeasuredValue } {
  const whole = measureValue(names.result, value, limit);
  const result =
    whole.status === "refused" && value.data !== undefined
      ? measureValue(names.result, { text: value.text }, limit)
      : whole;
  return { result, args: measureValue(names.args, { text: jsonText(args), data: args }, limit) };
}

type Measured = Pick<Extract<MeasuredValue, { readonly status: "measured" }>, "value" | "bytes">;

/** A new result: all that its entry is made of. */
export interface NewResult {
  readonly names: { readonly result: string; readonly args: string };
  readonly result: Measured;
  readonly desc: string | undefined;
  readonly now: number;
}

/** A new result with its arguments. */
export interface NewResultWithArgs extends NewResult {
  readonly args: Measured;
}

export function resultVariable({ names, result, desc, now }: NewResult): Variable {
  return newVariable(names.result, "ToolCallResult", result, now, desc);
}

export function argsVariable({ names, args, now }: NewResultWithArgs): Variable {
  return newVariable(names.args, "ToolCallArgs", args, now, undefined);
}

function newVariable(
  name: string,
  type: "ToolCallResult" | "ToolCallArgs",
  { value, bytes }: Measured,
  now: number,
  desc: string | undefined,
): Variable {
  return variableOf({
    name,
    type,
    desc,
    tags: noTags,
    keep: false,
    value,
    bytes,
    created: now,
    updated: now,
    lastVisited: now,
    referenceCount: 0,
  });
}

/** Empty for what is not JSON: its data is then refused. */
function jsonText(args: JsonObject): string {
  try {
    return JSON.stringify(args);
  } catch {
    return "";
  }
}

/** The call whose result or arguments these were, for a model to repeat. */
export function callOf(entry: VariableEntry): string | undefined {
  const unit = unitOf(entry);
  const name = unit.type === "ToolCallResult" ? resultNameOf(unit.name) : undefined;
  if (!name) return undefined;
  const args = unit.args?.value.text;
  if (args === undefined) return name.tool;
  return `${name.tool}(${args.length > shownArguments ? `${args.slice(0, shownArguments)}…` : args})`;
}
