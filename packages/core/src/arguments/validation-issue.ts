import type { Errors } from "typebox/schema";
import type { JsonValue } from "../base/json.ts";
import { pointerPart, readPointer } from "../json/json-pointer.ts";
import { describeType } from "../json/json-value.ts";
import { readRefinement } from "./safe-schema.ts";
import { shortJson } from "../json/short-json.ts";

/** One mismatch between a value and its schema. */
export interface ValidationIssue {
  /** JSON pointer; empty for the value itself. */
  readonly path: string;
  /** Describes the value that the schema requires. */
  readonly expected: string;
  /** Describes the given value: its type and its shortened text. */
  readonly received: string;
  /** The schema's keyword that the value violates. */
  readonly keyword: string;
  /** The issue as a sentence without a full stop. */
  readonly message: string;
}

type SchemaError = ReturnType<typeof Errors>[1][number];

const unions = /\/(?:anyOf|oneOf)\/\d+/;
const typeWords: { readonly [type: string]: string } = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "text",
};

/** Returns the validator's errors as issues, one issue for each value to correct. */
export function validationIssues(
  errors: readonly SchemaError[],
  value: unknown,
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  const grouped = Map.groupBy(errors, unionOf);
  for (const error of grouped.get("") ?? []) {
    const isSummarised =
      error.keyword === "anyOf" || (error.keyword === "oneOf" && grouped.has(error.schemaPath));
    if (!isSummarised && !isRepeated(error, errors)) issues.push(...issuesOf(error, value));
  }
  grouped.delete("");
  for (const nested of grouped.values()) issues.push(...unionIssues(nested, value));
  if (issues.length > 0) return issues;
  const [error] = errors;
  return [
    error
      ? issue(error.instancePath, error.keyword, error.message, value)
      : issue("", "schema", "a value that matches the schema", value),
  ];
}

/**
 * Returns the path in the schema of the outermost union that contains an error, or an empty text.
 */
function unionOf(error: SchemaError): string {
  const found = unions.exec(error.schemaPath);
  return found ? error.schemaPath.slice(0, found.index) : "";
}

/** Whether an error summarises others that are reported for each member. */
function isRepeated(error: SchemaError, errors: readonly SchemaError[]): boolean {
  if (/\/propertyNames(?:\/|$)/.test(error.schemaPath)) return true;
  if (error.keyword !== "additionalProperties" && error.keyword !== "unevaluatedProperties")
    return false;
  const within = `${error.schemaPath}/${error.keyword}`;
  return errors.some(({ schemaPath }) => schemaPath.startsWith(within));
}

/**
 * Returns the issues of a value that matches no alternative of a union: those of the only
 * alternative with the value's type, otherwise the requirements of each alternative.
 */
function unionIssues(nested: readonly SchemaError[], value: unknown): readonly ValidationIssue[] {
  const [first] = nested;
  if (!first) return [];
  const path = nested.reduce(
    (shortest, { instancePath }) =>
      instancePath.length < shortest.length ? instancePath : shortest,
    first.instancePath,
  );
  const branches = [
    ...Map.groupBy(nested, ({ schemaPath }) => unions.exec(schemaPath)?.[0] ?? "").values(),
  ];
  const isMeant = (errors: readonly SchemaError[]): boolean =>
    !errors.some(
      ({ keyword, instancePath }) =>
        keyword === "const" || (keyword === "type" && instancePath === path),
    );
  const meant = branches.filter(isMeant);
  if (meant.length === 1 && branches.length > 1) {
    const own = (meant[0] ?? []).map((error) => ({
      ...error,
      schemaPath: error.schemaPath.replace(unions, ""),
    }));
    return validationIssues(own, value);
  }
  const wanted = branches.map((errors) => expectedOf(errors[0] as SchemaError));
  return [issue(path, "anyOf", [...new Set(wanted)].join(", or "), value)];
}

function issuesOf(error: SchemaError, value: unknown): readonly ValidationIssue[] {
  const at = error.instancePath;
  switch (error.keyword) {
    case "required":
      return error.params.requiredProperties.map((key) => missing(`${at}/${pointerPart(key)}`));
    case "dependentRequired":
    case "dependencies":
      return error.params.dependencies.map((key) => missing(`${at}/${pointerPart(key)}`));
    case "unevaluatedProperties":
      return error.params.unevaluatedProperties.map((key) =>
        unknownProperty(`${at}/${pointerPart(String(key))}`, value),
      );
    case "boolean":
      return [forbidden(error, value)];
    case "~refine": {
      const { keyword, expected } = readRefinement(error.message);
      return [issue(at, keyword, expected, value)];
    }
    default:
      return [issue(at, error.keyword, expectedOf(error), value)];
  }
}

/**
 * The keyword of an issue that reports an unchecked value, because its check would take too long.
 */
const unchecked = "effort";
/**
 * The keyword of an issue that reports an invalid value without its errors, because it is too
 * large.
 */
const unexplained = "size";

/** Returns the issue of a value whose check would take too long. */
export function tooCostly(value: unknown): ValidationIssue {
  const expected = "a smaller value";
  const message =
    "the value is too large to be checked against its schema, or the schema is too complex: send less at a time";
  return { path: "", expected, received: describeType(value), keyword: unchecked, message };
}

/** Returns the issue of an invalid value whose errors would take too long to list. */
export function tooCostlyToReport(value: unknown): ValidationIssue {
  const expected = "a value that matches the schema";
  const message =
    "the value does not match its schema, and is too large to list its errors: send less at a time";
  return { path: "", expected, received: describeType(value), keyword: unexplained, message };
}

/** Whether a value was not checked, because that would take too long. */
export function isUnchecked([issue]: readonly ValidationIssue[]): boolean {
  return issue?.keyword === unchecked;
}

/** Whether a repair would take too long, because the check or the list of errors would. */
export function isTooCostlyToRepair([issue]: readonly ValidationIssue[]): boolean {
  return issue?.keyword === unchecked || issue?.keyword === unexplained;
}

function missing(path: string): ValidationIssue {
  return {
    path,
    expected: "a value",
    received: "nothing",
    keyword: "required",
    message: `${path} is required`,
  };
}

/**
 * Returns the issue of a position whose schema is `false`, usually a property that the schema does
 * not know.
 */
function forbidden(error: SchemaError, value: unknown): ValidationIssue {
  const isUnknown = /\/(?:additional|unevaluated)Properties$/.test(error.schemaPath);
  return isUnknown
    ? unknownProperty(error.instancePath, value)
    : issue(error.instancePath, "boolean", "nothing", value);
}

function unknownProperty(path: string, value: unknown): ValidationIssue {
  return {
    path,
    expected: "no such property",
    received: receivedAt(path, value),
    keyword: "additionalProperties",
    message: `${path} is not a known property`,
  };
}

function issue(path: string, keyword: string, expected: string, value: unknown): ValidationIssue {
  const received = receivedAt(path, value);
  return {
    path,
    expected,
    received,
    keyword,
    message: `${path || "the arguments"}: expected ${expected}, got ${received}`,
  };
}

function receivedAt(path: string, value: unknown): string {
  const found = readPointer(value as JsonValue, path);
  return found.status === "found"
    ? `${describeType(found.value)} ${shortJson(found.value)}`
    : "nothing";
}

function expectedOf(error: SchemaError): string {
  switch (error.keyword) {
    case "type":
      return [error.params.type]
        .flat()
        .map((type) => typeWords[type] ?? type)
        .join(" or ");
    case "enum":
      return `one of ${error.params.allowedValues
        .slice(0, 20)
        .map((allowed) => shortJson(allowed, 40))
        .join(", ")}`;
    case "const":
      return shortJson(error.params.allowedValue);
    case "pattern":
      return `text that matches ${String(error.params.pattern)}`;
    case "format":
      return `text in the format ${error.params.format}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `a number ${error.params.comparison} ${error.params.limit}`;
    case "~refine":
      return readRefinement(error.message).expected;
    default:
      return `what ${error.message.replace(/^must /, "must ")}`;
  }
}
