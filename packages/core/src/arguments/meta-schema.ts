import type { JsonSchema } from "../base/json.ts";
import { pointerPart } from "../json/json-pointer.ts";
import { isObject } from "../json/json-value.ts";
import { schemaReferences } from "./schema-references.ts";

/** Finds an error in the value of a keyword. */
type Rule = (value: unknown, path: string) => Problem | undefined;

interface Problem {
  readonly path: string;
  readonly expected: string;
}

const types = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const isType = (value: unknown): boolean => typeof value === "string" && types.has(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

const text = rule("a text", isText);
const number = rule("a number", isNumber);
const flag = rule("true or false", (value) => typeof value === "boolean");
const count = rule(
  "a whole number of at least 0",
  (value) => Number.isInteger(value) && Number(value) >= 0,
);
const names = rule("a list of texts", (value) => Array.isArray(value) && value.every(isText));
const type = rule(
  `one of ${[...types].join(", ")}, or a list of different ones`,
  (value) =>
    isType(value) ||
    (Array.isArray(value) &&
      value.length > 0 &&
      value.every(isType) &&
      new Set(value).size === value.length),
);
const schemaList: Rule = (value, path) =>
  Array.isArray(value) && value.length > 0
    ? firstProblem(value.entries(), schema, path)
    : { path, expected: "a list of schemas" };
const schemaMap = mapOf(schema);

/**
 * The allowed values of a schema's keywords, for draft-07 and 2020-12 together. The rules are
 * equivalent to the published meta-schemas. They need no compiled schema, because a server checks
 * the schemas of all tools when it starts.
 */
const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["$id", text],
  ["$schema", text],
  ["$ref", text],
  ["$anchor", text],
  ["$dynamicRef", text],
  ["$dynamicAnchor", text],
  ["$comment", text],
  ["$defs", schemaMap],
  ["definitions", schemaMap],
  ["title", text],
  ["description", text],
  ["type", type],
  ["enum", rule("a list", Array.isArray)],
  ["multipleOf", rule("a number above 0", (value) => isNumber(value) && Number(value) > 0)],
  ["maximum", number],
  ["exclusiveMaximum", number],
  ["minimum", number],
  ["exclusiveMinimum", number],
  ["maxLength", count],
  ["minLength", count],
  ["pattern", text],
  ["format", text],
  ["items", (value, path) => (Array.isArray(value) ? schemaList : schema)(value, path)],
  ["prefixItems", schemaList],
  ["additionalItems", schema],
  ["unevaluatedItems", schema],
  ["maxItems", count],
  ["minItems", count],
  ["uniqueItems", flag],
  ["contains", schema],
  ["maxContains", count],
  ["minContains", count],
  ["properties", schemaMap],
  ["patternProperties", schemaMap],
  ["additionalProperties", schema],
  ["unevaluatedProperties", schema],
  ["propertyNames", schema],
  ["maxProperties", count],
  ["minProperties", count],
  ["required", names],
  ["dependencies", mapOf((value, path) => (Array.isArray(value) ? names : schema)(value, path))],
  ["dependentRequired", mapOf(names)],
  ["dependentSchemas", schemaMap],
  ["allOf", schemaList],
  ["anyOf", schemaList],
  ["oneOf", schemaList],
  ["not", schema],
  ["if", schema],
  ["then", schema],
  ["else", schema],
]);

function rule(expected: string, isAllowed: (value: unknown) => boolean): Rule {
  return (value, path) => (isAllowed(value) ? undefined : { path, expected });
}

function mapOf(member: Rule): Rule {
  return (value, path) =>
    isObject(value)
      ? firstProblem(Object.entries(value), member, path)
      : { path, expected: "an object of schemas" };
}

function schema(value: unknown, path: string): Problem | undefined {
  if (typeof value === "boolean") return undefined;
  if (!isObject(value)) return { path, expected: "a schema, which is an object, true or false" };
  for (const [keyword, member] of Object.entries(value)) {
    // JSON omits members that are undefined.
    if (member === undefined) continue;
    const problem = rules.get(keyword)?.(member, `${path}/${keyword}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function firstProblem(
  members: Iterable<readonly [string | number, unknown]>,
  check: Rule,
  path: string,
): Problem | undefined {
  for (const [key, member] of members) {
    const problem = check(member, `${path}/${pointerPart(String(key))}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns the location of an error in a schema, or undefined if it is well formed. */
export function metaSchemaProblem(candidate: JsonSchema): string | undefined {
  const problem = schema(candidate, "");
  if (problem === undefined) return undefined;
  return `This is not a JSON Schema: ${problem.path || "it"} must be ${problem.expected}.`;
}

/**
 * Returns an error that names a reference without a valid target, or undefined if all are valid.
 */
export function referenceProblem(candidate: JsonSchema): string | undefined {
  const { dangling, targets } = schemaReferences(candidate);
  if (dangling !== undefined) {
    const shown = JSON.stringify(dangling.slice(0, 200));
    return `The reference ${shown} has no target in the schema, and other documents are not fetched. Put the target under $defs.`;
  }
  // The value of an unknown keyword is a schema only if a reference points to it.
  for (const target of new Set(targets.values())) {
    const problem = typeof target === "boolean" ? undefined : metaSchemaProblem(target);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
