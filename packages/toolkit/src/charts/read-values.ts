import { ChartProblem } from "./chart-problem.ts";
import { cleanText } from "./clean-text.ts";
import type { XKind } from "./chart-data.ts";

/** Larger numbers overflow when an axis is scaled. */
const largest = 1e300;
const isoDate =
  /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/;

/**
 * Returns the number of a value, which can be a text with a number, or `null` for an empty value.
 * @throws ChartProblem
 */
export function readNumber(value: unknown, where: string): number | null {
  if (value === null || value === undefined || value === "") return null;
  const number =
    typeof value === "string" && /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(value)
      ? Number(value)
      : value;
  if (typeof number === "number" && Math.abs(number) <= largest) return number;
  throw new ChartProblem("invalid_value", `${where} is ${shown(value)}, not a finite number.`);
}

/** Reads a text as milliseconds since the epoch, in UTC if it names no offset. */
export function readTime(value: unknown): number | undefined {
  if (typeof value !== "string" || !isoDate.test(value)) return undefined;
  const text = value.replace(" ", "T");
  const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/.test(text) || !text.includes("T");
  const time = Date.parse(hasOffset ? text : `${text}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Returns the kind of an axis: numbers or dates if all values are numbers or dates, else
 * categories.
 */
export function kindOf(values: readonly unknown[]): XKind {
  if (values.every((value) => typeof value === "number" && Math.abs(value) <= largest))
    return "number";
  return values.every((value) => readTime(value) !== undefined) ? "time" : "category";
}

/** Returns the label of a category. */
export function readLabel(value: unknown): string {
  if (value === null || value === undefined || value === "") return "(empty)";
  return cleanText(typeof value === "string" ? value : JSON.stringify(value), 200) || "(empty)";
}

function shown(value: unknown): string {
  if (typeof value === "number") return String(value);
  return cleanText(JSON.stringify(value) ?? typeof value, 60);
}
