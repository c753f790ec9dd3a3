import type { JsonObject } from "../model/json.ts";
import { resultNameOf } from "./result-name.ts";
import { unitOf, variableEntry, type VariableEntry } from "./variable-entry.ts";
import { type MeasuredValue, measureValue } from "./variable-input.ts";
import type { VariableValue } from "./variable.ts";

const shownArguments = 200;
const noTags: readonly string[] = [];

/** The two values of a kept result. Data that is not JSON is left out where the text can stand for it. */
export function measureKept(
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

type Measured = Extract<MeasuredValue, { readonly status: "measured" }>;

/** A new result and, where they are kept, its arguments. */
export function resultEntries(
  names: { readonly result: string; readonly args: string },
  { result, args, desc, now }: ResultParts,
): readonly [VariableEntry, VariableEntry?] {
  const entry = newEntry(names.result, "ToolCallResult", result, now, desc);
  return args === undefined
    ? [entry]
    : [entry, newEntry(names.args, "ToolCallArgs", args, now, undefined)];
}

function newEntry(
  name: string,
  type: "ToolCallResult" | "ToolCallArgs",
  { value, bytes }: Pick<Measured, "value" | "bytes">,
  now: number,
  desc: string | undefined,
): VariableEntry {
  return variableEntry({
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

interface ResultParts {
  readonly result: Pick<Measured, "value" | "bytes">;
  readonly args: Measured | undefined;
  readonly desc: string | undefined;
  readonly now: number;
}

/** As it was measured: the arguments may be none that can be kept. */
export type MeasuredPair = Omit<ResultParts, "args"> & { readonly args: MeasuredValue };

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
