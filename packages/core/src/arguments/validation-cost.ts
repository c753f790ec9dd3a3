import type { JsonSchema } from "../base/json.ts";
import { countValues, isObject } from "../json/json-value.ts";
import { isCompiled } from "./check-function.ts";
import { linearSize, nativeCost, patternCost } from "./pattern-check.ts";
import type { Refinement } from "./safe-schema.ts";
import { schemaReferences } from "./schema-references.ts";

/**
 * The maximum cost of a check, in units of about 50 ns. A check blocks the event loop, so other
 * users wait for it.
 */
export const maxValidationCost = 2_000_000;
/** The maximum number of a schema's parts that are searched for the targets of its references. */
const maxSearchedParts = 500_000;
/** The maximum number of patterns in a schema. Each takes about 0.1 ms to compile. */
const maxPatterns = 2_000;
/** The maximum number of references in a schema. Each takes about 0.1 ms to resolve. */
const maxReferences = 5_000;
/** The maximum size of all patterns together that an engine without backtracking compiles. */
const maxPatternParts = 50_000;
/** The largest pattern that such an engine compiles. */
export const maxPatternSize = 10_000;
/**
 * The maximum depth: references that are followed and members that are entered, one after another.
 */
const maxDepth = 1_000;

/** The cost of a check in units of about 50 ns. */
interface ValidationCost {
  /** The cost of checking whether a value is valid. */
  readonly check: number;
  /** The cost of listing its errors. */
  readonly report: number;
}

/** Facts about a schema that its costs depend on. */
interface SchemaFacts {
  /** The number of its values. */
  readonly parts: number;
  readonly patterns: number;
  readonly patternParts: number;
  readonly references: number;
  /** Whether the library searches the whole schema for the target of each reference. */
  readonly searches: boolean;
  readonly dynamicAnchors: readonly JsonSchema[];
  /** Whether the check runs as compiled code. */
  readonly isCompiled: boolean;
  /** The plan of each part of the schema. */
  readonly plans: Map<JsonSchema, Plan>;
}

const known = new WeakMap<JsonSchema, SchemaFacts>();

/** Returns why a schema would take too long to compile, or `undefined`. */
export function compileCostProblem(schema: JsonSchema): string | undefined {
  const { parts, patterns, patternParts, references, searches } = factsOf(schema);
  if (patterns > maxPatterns)
    return `The schema has ${patterns} patterns; at most ${maxPatterns} are supported.`;
  if (references > maxReferences)
    return `The schema has ${references} references; at most ${maxReferences} are supported.`;
  if (patternParts > maxPatternParts)
    return `The patterns of the schema have ${patternParts} parts, because each repetition count copies its part; at most ${maxPatternParts} are supported. Use smaller counts, or "maxLength".`;
  if (searches && references * parts > maxSearchedParts)
    return `The schema has ${references} references and ${parts} parts, which take too long to resolve with "$id" or "$anchor". Refer to its parts by pointers such as "#/$defs/name".`;
  return undefined;
}

/** Whether references can be resolved without a search: all are pointers into one document. */
export function hasOnlyPointers(schema: JsonSchema): boolean {
  return !factsOf(schema).searches;
}

function factsOf(schema: JsonSchema): SchemaFacts {
  let facts = known.get(schema);
  if (facts === undefined) {
    facts = countParts(schema);
    known.set(schema, facts);
  }
  return facts;
}

function countParts(schema: JsonSchema): SchemaFacts {
  let [parts, patterns, patternParts, references] = [0, 0, 0, 0];
  let searches = false;
  const dynamicAnchors: JsonSchema[] = [];
  const count = (value: unknown): void => {
    parts += 1;
    if (typeof value !== "object" || value === null) return;
    const node = value as JsonSchema;
    const { $id, $ref, $dynamicRef, $dynamicAnchor, pattern, patternProperties } = node;
    if (typeof $ref === "string") {
      references += 1;
      searches ||= !/^#(?:$|\/)/.test($ref);
    }
    if (typeof $dynamicRef === "string") references += 1;
    if (typeof $dynamicAnchor === "string") dynamicAnchors.push(node);
    searches ||= typeof $id === "string" || typeof $dynamicRef === "string";
    if (typeof pattern === "string") {
      patterns += 1;
      const size = linearSize(pattern);
      if (size <= maxPatternSize) patternParts += size;
    }
    if (isObject(patternProperties)) patterns += Object.keys(patternProperties).length;
    for (const member of Object.values(node)) count(member);
  };
  count(schema);
  return {
    parts,
    patterns,
    patternParts,
    references,
    searches,
    dynamicAnchors,
    isCompiled: isCompiled(schema),
    plans: new Map(),
  };
}

/** The parts that one schema applies to a value, with their costs. */
interface Plan {
  /** The cost for any value. */
  own: number;
  /** The number of references that are followed. */
  readonly references: number;
  /** The schemas that apply to the same value. */
  readonly inPlace: readonly Plan[];
  readonly text: ((text: string) => number) | undefined;
  /** Checks that replace keywords. */
  readonly refinements: readonly Refinement[];
  readonly items: ItemsPlan | undefined;
  readonly object: ObjectPlan | undefined;
  /** The size of a constant, which is compared with lists and objects. */
  readonly constant: number;
}

interface ItemsPlan {
  readonly first: readonly Plan[];
  readonly each: readonly Plan[];
}

interface ObjectPlan {
  readonly own: number;
  readonly named: readonly (readonly [string, Plan])[];
  readonly each: readonly Plan[];
  readonly names: Plan | undefined;
  readonly patterns: readonly (readonly [string, Plan])[];
  /** The cost for each key. */
  readonly perKey: number;
}

/** Thrown when the cost exceeds the maximum. */
class TooCostly extends Error {
  override readonly name = "TooCostly";
}

/**
 * Returns an upper bound of the cost to check a value, as if no part of the schema failed early. The
 * parts of a schema that apply to one value can grow exponentially with its references.
 *
 * @returns Infinity if the bound exceeds `maxValidationCost`
 */
export function validationCost(schema: JsonSchema, value: unknown): ValidationCost {
  const facts = factsOf(schema);
  const plan = planOf(schema, schema, facts);
  let [cost, followed] = [0, 0];

  function spend(amount: number): void {
    cost += amount;
    if (cost > maxValidationCost) throw new TooCostly();
  }

  function apply(at: Plan, given: unknown, depth: number): void {
    if (depth > maxDepth) throw new TooCostly();
    spend(at.own);
    followed += at.references;
    for (const part of at.inPlace) apply(part, given, depth + 1);
    for (const one of at.refinements) spend(one.cost(given));
    if (typeof given === "string") {
      if (at.text !== undefined) spend(at.text(given));
    } else if (typeof given === "object" && given !== null) {
      spend(at.constant);
      if (Array.isArray(given)) {
        if (at.items !== undefined) applyToItems(at.items, given, depth + 1);
      } else if (at.object !== undefined) {
        applyToMembers(at.object, given as JsonSchema, depth + 1);
      }
    }
  }

  function applyToItems({ first, each }: ItemsPlan, list: readonly unknown[], depth: number): void {
    for (const [index, part] of first.entries())
      if (index < list.length) apply(part, list[index], depth);
    for (const part of each) for (const item of list) apply(part, item, depth);
  }

  function applyToMembers(at: ObjectPlan, object: JsonSchema, depth: number): void {
    spend(at.own);
    for (const [name, part] of at.named)
      if (Object.hasOwn(object, name)) apply(part, object[name], depth);
    if (at.perKey === 0) return;
    const keys = Object.keys(object);
    spend(keys.length * at.perKey);
    for (const [pattern, part] of at.patterns)
      for (const key of keys) {
        spend(patternUnits(pattern, key.length));
        apply(part, object[key], depth);
      }
    for (const part of at.each) for (const key of keys) apply(part, object[key], depth);
    if (at.names !== undefined) for (const key of keys) apply(at.names, key, depth);
  }

  try {
    apply(plan, value, 0);
  } catch (thrown) {
    if (!(thrown instanceof TooCostly)) throw thrown;
    return { check: Infinity, report: Infinity };
  }
  // A list of errors is made by an interpreter, which resolves each reference again.
  const interpreted = 20 * cost + followed * (facts.searches ? 8 * facts.parts : 500);
  return { check: facts.isCompiled ? cost : interpreted, report: interpreted };
}

const nothing: Plan = {
  own: 1,
  references: 0,
  inPlace: [],
  text: undefined,
  refinements: [],
  items: undefined,
  object: undefined,
  constant: 0,
};

/** Returns the plan of a part of a schema. Plans of schemas that refer to themselves have cycles. */
function planOf(part: unknown, root: JsonSchema, facts: SchemaFacts): Plan {
  if (!isObject(part)) return nothing;
  const made = facts.plans.get(part);
  if (made !== undefined) return made;
  const inPlace: Plan[] = [];
  const isReference = typeof part["$ref"] === "string";
  const isDynamic = typeof part["$dynamicRef"] === "string";
  const values = Array.isArray(part["enum"]) ? part["enum"].length : 0;
  // The parts of a plan are added after it is in the map, so that cycles end.
  const [first, each]: [Plan[], Plan[]] = [[], []];
  const [named, patterns, others]: [[string, Plan][], [string, Plan][], Plan[]] = [[], [], []];
  const properties = membersOf(part["properties"]);
  const byPattern = membersOf(part["patternProperties"]);
  const areOthersChecked = ofProperties.some((keyword) => part[keyword] !== undefined);
  const isNamed = part["propertyNames"] !== undefined;
  const [names, ownNames] = [Object.keys(byPattern).length, Object.keys(properties).length];
  const object = {
    own: (ownNames + lengthOf(part["required"])) / 4 + dependentSize(part),
    named,
    patterns,
    each: others,
    names: undefined as Plan | undefined,
    perKey: (areOthersChecked ? 1 + ownNames + 8 * names : 0) + 8 * names + (isNamed ? 1 : 0),
  };
  const listed = ofItems.some((keyword) => part[keyword] !== undefined);
  const plan: Plan = {
    own: 1 + values,
    references: (isReference ? 1 : 0) + (isDynamic ? 1 : 0),
    inPlace,
    text: textCost(part),
    refinements: listOf(part["~refine"]) as readonly Refinement[],
    items: listed ? { first, each } : undefined,
    object: object.own + object.perKey > 0 ? object : undefined,
    constant: Object.hasOwn(part, "const") ? countValues(part["const"], maxValidationCost) : 0,
  };
  facts.plans.set(part, plan);

  const planned = (one: unknown): Plan => planOf(one, root, facts);
  if (isReference) inPlace.push(planned(schemaReferences(root).targets.get(part)));
  if (isDynamic) inPlace.push(...facts.dynamicAnchors.map(planned));
  for (const keyword of inPlaceLists) inPlace.push(...listOf(part[keyword]).map(planned));
  for (const keyword of inPlaceSchemas)
    if (part[keyword] !== undefined) inPlace.push(planned(part[keyword]));
  // Assume that every object has the property that these schemas depend on.
  for (const keyword of dependent)
    inPlace.push(...Object.values(membersOf(part[keyword])).filter(isObject).map(planned));
  for (const keyword of ofItems) {
    const value = part[keyword];
    if (Array.isArray(value)) first.push(...value.map(planned));
    else if (value !== undefined) each.push(planned(value));
  }
  for (const [name, one] of Object.entries(properties)) named.push([name, planned(one)]);
  for (const [pattern, one] of Object.entries(byPattern)) patterns.push([pattern, planned(one)]);
  for (const keyword of ofProperties)
    if (part[keyword] !== undefined) others.push(planned(part[keyword]));
  if (isNamed) object.names = planned(part["propertyNames"]);
  return plan;
}

function textCost(part: JsonSchema): Plan["text"] {
  const { pattern, format, maxLength, minLength } = part;
  if (
    typeof pattern !== "string" &&
    format === undefined &&
    maxLength === undefined &&
    minLength === undefined
  )
    return undefined;
  const perCharacter =
    (format === undefined ? 0 : 1 / 5) +
    (maxLength === undefined && minLength === undefined ? 0 : 1 / 20);
  return ({ length }) =>
    length * perCharacter + (typeof pattern === "string" ? patternUnits(pattern, length) : 0);
}

function dependentSize(part: JsonSchema): number {
  return dependent
    .flatMap((keyword) => Object.values(membersOf(part[keyword])))
    .reduce<number>((sum, one) => sum + 1 + lengthOf(one), 0);
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const inPlaceLists = ["allOf", "anyOf", "oneOf"] as const;
const inPlaceSchemas = ["not", "if", "then", "else"] as const;
const ofItems = [
  "prefixItems",
  "items",
  "additionalItems",
  "unevaluatedItems",
  "contains",
] as const;
const ofProperties = ["additionalProperties", "unevaluatedProperties"] as const;
const dependent = ["dependentSchemas", "dependentRequired", "dependencies"] as const;
const noMembers: JsonSchema = {};

function membersOf(value: unknown): JsonSchema {
  return isObject(value) ? value : noMembers;
}

/** The cost of a pattern that JavaScript's own engine tests on a text of this length. */
function patternUnits(pattern: string, length: number): number {
  return 1 + nativeCost(patternCost(pattern), length);
}
