import type { ToolErrorData } from "../base/errors.ts";
import { shortJson } from "../json/short-json.ts";
import { variableNameProblem } from "./variable-name.ts";
import type { VariableValue } from "./variable.ts";

const maxDescLength = 2000;
const maxTags = 50;
const maxTagLength = 100;

/** Returns why a variable cannot have this name, description or tags, or undefined if it can. */
export function variableInputProblem(
  name: string,
  desc: string | undefined,
  tags: readonly string[] | undefined,
): ToolErrorData | undefined {
  const problem = variableNameProblem(name);
  if (problem !== undefined) {
    const shown = shortJson(name);
    return {
      code: "invalid_variable_name",
      message: `The variable name ${shown} ${problem}. Choose another name.`,
    };
  }
  const badDesc = descProblem(name, desc);
  if (badDesc !== undefined) return badDesc;
  const badTags =
    tags !== undefined && (!Array.isArray(tags) || tags.length > maxTags || !tags.every(isTag));
  if (badTags) {
    const message = `The tags of ${name} must be at most ${maxTags} texts of 1 to ${maxTagLength} characters.`;
    return { code: "invalid_variable", message };
  }
  return undefined;
}

/** Returns why a variable cannot have this description, or undefined if it can. */
export function descProblem(name: string, desc: string | undefined): ToolErrorData | undefined {
  if (desc === undefined || (typeof desc === "string" && desc.length <= maxDescLength))
    return undefined;
  const message = `The description of ${name} must be text of at most ${maxDescLength} characters.`;
  return { code: "invalid_variable", message };
}

function isTag(tag: unknown): boolean {
  return typeof tag === "string" && tag !== "" && tag.length <= maxTagLength;
}

/**
 * Returns the error for a variable that does not fit, because variables with `keep` use up the
 * limits.
 */
export function noRoomFor(
  name: string,
  { capacity, maxBytes }: { readonly capacity: number; readonly maxBytes: number },
): ToolErrorData {
  const limit = `${capacity} variables and ${maxBytes} bytes`;
  const message = `There is no room for ${name}: the limit is ${limit}, and the existing variables have \`keep\`. Remove some, or set \`keep\` to false.`;
  return { code: "variables_full", message };
}

/** A value in its stored form with its size, or the error of an invalid value. */
export type MeasuredValue =
  | { readonly status: "measured"; readonly value: VariableValue; readonly bytes: number }
  | { readonly status: "refused"; readonly error: ToolErrorData };

/** Converts a value to its stored form, with its size in bytes; `limit` is the maximum size. */
export function measureValue(
  name: string,
  input: VariableValue | string,
  limit: number,
): MeasuredValue {
  const given: VariableValue = typeof input === "string" ? { text: input } : input;
  if (typeof given?.text !== "string") {
    const message = `The value of ${name} must be text, or {text, data}.`;
    return { status: "refused", error: { code: "invalid_variable", message } };
  }
  const { text, data } = given;
  // Data that equals the text is not stored again.
  const value: VariableValue = data === undefined || data === text ? { text } : { text, data };
  const textBytes = text.length > limit ? text.length : utf8Length(text);
  const size = value.data === undefined ? undefined : dataSize(value.data, limit);
  if (size?.status === "refused") {
    const message = `The data of ${name} is not JSON: ${size.reason}.`;
    return { status: "refused", error: { code: "invalid_variable", message } };
  }
  const bytes = textBytes + (size?.bytes ?? 0);
  if (bytes <= limit) return { status: "measured", value, bytes };
  const message = `The value of ${name} has more than ${limit} bytes, the most that one variable may hold. Store a part of it.`;
  return { status: "refused", error: { code: "variable_too_large", message, details: { limit } } };
}

/** The maximum depth of a variable's data. */
export const maxDataDepth = 500;

const encoder = new TextEncoder();

/** Node's function allocates no buffer and takes a hundredth of the time. */
const { Buffer: node } = globalThis as {
  readonly Buffer?: { byteLength(text: string): number };
};

/**
 * Returns the UTF-8 bytes of a text. Counts a lone surrogate as U+FFFD, because encoders replace
 * it.
 */
export function utf8Length(text: string): number {
  // Most texts in data are short: to allocate a buffer takes longer than a scan.
  if (text.length <= 64 && isAscii(text)) return text.length;
  return node?.byteLength(text) ?? encoder.encode(text).length;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** The size of a JSON value, or the reason why it is not JSON. */
export type DataSize =
  | { readonly status: "measured"; readonly bytes: number }
  | { readonly status: "refused"; readonly reason: string };

/**
 * Returns the approximate size of a JSON value in bytes, or the reason why it is not JSON: circular
 * values, functions, big integers and nesting beyond `maxDataDepth` are rejected. Stops at `limit`
 * bytes.
 */
export function dataSize(data: unknown, limit: number): DataSize {
  const plain = plainSize(data);
  if (plain !== undefined) return { status: "measured", bytes: plain };
  const measuring: Measuring = { limit, ancestors: [], bytes: 0, reason: undefined };
  measure(measuring, data);
  const { bytes, reason } = measuring;
  return reason === undefined ? { status: "measured", bytes } : { status: "refused", reason };
}

interface Measuring {
  readonly limit: number;
  /** The objects around the measured one, the outermost first. */
  readonly ancestors: object[];
  bytes: number;
  reason: string | undefined;
}

/** Adds the size of a value, or sets the reason why it is not JSON. */
function measure(measuring: Measuring, value: unknown): void {
  const { ancestors, limit } = measuring;
  const plain = plainSize(value);
  if (plain !== undefined) measuring.bytes += plain;
  else if (typeof value !== "object" || value === null)
    measuring.reason = `it holds a ${typeof value}, which JSON does not have`;
  else if (ancestors.includes(value)) measuring.reason = "it refers to itself";
  else if (ancestors.length >= maxDataDepth)
    measuring.reason = `it is nested deeper than ${maxDataDepth} levels`;
  else {
    ancestors.push(value);
    measuring.bytes += 2;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      measuring.bytes += typeof key === "number" ? 1 : key.length + 1;
      if (measuring.bytes > limit) break;
      measure(measuring, (value as Record<string | number, unknown>)[key]);
      if (measuring.reason !== undefined) return;
    }
    ancestors.pop();
  }
}

/** Returns undefined for lists, objects and values that JSON does not have. */
function plainSize(value: unknown): number | undefined {
  switch (typeof value) {
    case "string":
      return utf8Length(value) + 2;
    case "number":
      return 8;
    case "boolean":
      return 4;
    default:
      return value === null ? 4 : undefined;
  }
}
