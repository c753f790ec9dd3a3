import type { JsonSchema } from "../base/json.ts";
import { pointerPart } from "../json/json-pointer.ts";
import { canonicalJson, countValues, isObject } from "../json/json-value.ts";
import {
  keyPattern,
  patternCheck,
  type PatternEngine,
  type StepBudget,
  type PatternCost,
} from "./pattern-check.ts";
import { isLegacySchema, mapKeywords, valueKeywords } from "./schema-references.ts";

type SafeSchema =
  | {
      readonly status: "safe";
      readonly schema: JsonSchema;
      /** The parts of the schema that are not enforced, with reasons. */
      readonly notes: readonly string[];
      /** The costs of key patterns that must be counted with `keySteps` before they are tested. */
      readonly keyCosts: readonly PatternCost[];
      /** Whether some pattern may run out of steps. */
      readonly isCostly: boolean;
    }
  | { readonly status: "refused"; readonly message: string };

interface SafeSchemaOptions {
  readonly engine?: PatternEngine | undefined;
  readonly budget: StepBudget;
  /** Whether patterns that need more than linear time are counted within the budget or left out. */
  readonly costly: "counted" | "left out";
}

type Node = { readonly [key: string]: unknown };

/** The keywords next to a `$ref` that drafts before 2019-09 respect. */
const besideReference = new Set(["$ref", "$id", "$defs", "definitions"]);
/**
 * Keywords that do not affect validity. They are removed, so that references cannot target them.
 */
const annotations = new Set(["default", "examples", "$comment", "~refine"]);
/**
 * Keywords whose schema can fail while the whole schema passes. To the validator, the properties
 * in such a schema count as evaluated; the replacements prevent that. If a reference points
 * into them, they cannot be replaced.
 */
const isolated: { readonly [keyword: string]: (schema: unknown) => JsonSchema } = {
  if: (schema) => ({ anyOf: [schema] }),
  // `contains` marks no item of the list as evaluated.
  contains: (schema) => ({ not: { not: schema } }),
};
/** Keywords of another draft. */
const foreign = new Set(["$recursiveRef", "$recursiveAnchor"]);

/**
 * Rewrites a schema so that no value can make validation hang: patterns that could hang run on
 * `engine`, are counted, or are omitted with a note. If a pattern is left out, the parts that
 * would become stricter are loosened too, so that a valid value is never rejected.
 */
export function safeSchema(schema: JsonSchema, options: SafeSchemaOptions): SafeSchema {
  const rewriting = new Rewriting(options, schema);
  const rewritten = rewriting.schema(schema, "") as JsonSchema;
  if (rewriting.problem !== undefined) return { status: "refused", message: rewriting.problem };
  const { notes, keyCosts, isCostly } = rewriting;
  const safe = rewriting.isLoose
    ? (looseSchema(rewritten, rewriting.loose) as JsonSchema)
    : rewritten;
  return { status: "safe", schema: safe, notes, keyCosts, isCostly };
}

class Rewriting {
  readonly notes: string[] = [];
  readonly keyCosts: PatternCost[] = [];
  /** Schemas that are looser than the original. */
  readonly loose = new WeakSet<object>();
  isLoose = false;
  isCostly = false;
  problem: string | undefined;
  readonly #options: SafeSchemaOptions;
  readonly #isLegacy: boolean;
  /** Whether the keywords in `isolated` are replaced. */
  readonly #isolates: boolean;

  constructor(options: SafeSchemaOptions, schema: JsonSchema) {
    this.#options = options;
    this.#isLegacy = isLegacySchema(schema);
    const text = canonicalJson(schema);
    this.#isolates = text.includes('"unevaluated') && !/\/(?:if|contains)\//.test(text);
  }

  schema(value: unknown, path: string): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value))
      return value.map((item, index) => this.schema(item, `${path}/${index}`));
    const node = value as Node;
    const ignoresRest = this.#isLegacy && typeof node["$ref"] === "string";
    const members: (readonly [string, unknown])[] = [];
    const refinements: Refinement[] = [];
    let isLoose = false;
    for (const [key, member] of Object.entries(node)) {
      if (annotations.has(key) || foreign.has(key)) continue;
      if (ignoresRest && !besideReference.has(key)) continue;
      const at = `${path}/${pointerPart(key)}`;
      if (key === "pattern" && typeof member === "string") {
        const { replacement, isComplete } = this.#pattern(member, at);
        if (replacement === "native") members.push(["pattern", member]);
        else if (replacement) refinements.push(replacement);
        isLoose ||= !isComplete;
      } else if (key === "uniqueItems") {
        if (member === true) refinements.push(uniqueItems);
      } else if (mapKeywords.has(key) && isObject(member)) {
        const kept = Object.entries(member).filter(
          ([name]) => key !== "patternProperties" || this.#isTriedOnKeys(name, at),
        );
        const isCut = kept.length < Object.keys(member).length;
        isLoose ||= isCut;
        members.push([key, this.#map(kept, at)]);
      } else {
        const safe = valueKeywords.has(key) ? member : this.schema(member, at);
        const isolate = this.#isolates && Object.hasOwn(isolated, key) ? isolated[key] : undefined;
        members.push([key, isolate ? isolate(safe) : safe]);
      }
    }
    if (refinements.length > 0) members.push(["~refine", refinements]);
    if (!isLoose) return Object.fromEntries(members);
    // If a key's pattern is left out, it is unknown which properties are additional.
    const result = Object.fromEntries(
      members.filter(
        ([key]) => key !== "additionalProperties" || !isObject(node["patternProperties"]),
      ),
    );
    this.loose.add(result);
    this.isLoose = true;
    return result;
  }

  #map(members: readonly (readonly [string, unknown])[], path: string): Node {
    return Object.fromEntries(
      members.map(([name, member]) => [name, this.schema(member, `${path}/${pointerPart(name)}`)]),
    );
  }

  #pattern(
    source: string,
    at: string,
  ): { replacement?: "native" | Refinement; isComplete: boolean } {
    const check = patternCheck(source, this.#options);
    switch (check.status) {
      case "native":
        return { replacement: "native", isComplete: true };
      case "checked": {
        const isCostly = check.note !== undefined;
        this.isCostly ||= isCostly;
        if (isCostly) this.notes.push(`At ${at}: ${check.note}`);
        if (isCostly && this.#options.costly === "left out") return { isComplete: false };
        const test = (value: unknown): boolean => typeof value !== "string" || check.test(value);
        const replacement = refinement({
          keyword: "pattern",
          expected: `text that matches ${source}`,
          test,
          cost: (value) => (typeof value === "string" ? check.cost(value.length) : 0),
        });
        return { replacement, isComplete: true };
      }
      case "unchecked":
        this.notes.push(`At ${at}: ${check.note}`);
        return { isComplete: false };
      case "invalid":
        this.problem ??= `At ${at}: ${check.message}`;
        return { isComplete: true };
    }
  }

  #isTriedOnKeys(source: string, at: string): boolean {
    const pattern = keyPattern(source);
    if (pattern.status === "native") return true;
    if (pattern.status === "invalid") {
      this.problem ??= `At ${at}: ${pattern.message}`;
      return true;
    }
    this.notes.push(`At ${at}: ${pattern.note}`);
    if (pattern.status === "unchecked") return false;
    this.keyCosts.push(pattern.cost);
    return this.#options.costly === "counted";
  }
}

/**
 * Loosens the parts that would become stricter because other parts (`loose`) are looser than the
 * original: `not`, `if`, `oneOf`, `maxContains` and `unevaluated…`. A reference is treated as
 * loose.
 */
function looseSchema(schema: unknown, loose: WeakSet<object>): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => looseSchema(one, loose));
  const node = schema as Node;
  const dropped = new Set(["unevaluatedProperties", "unevaluatedItems"]);
  if (isLoose(node["not"], loose)) dropped.add("not");
  if (isLoose(node["contains"], loose)) dropped.add("maxContains");
  if (isLoose(node["if"], loose)) for (const key of ["if", "then", "else"]) dropped.add(key);
  const exactlyOne = isLoose(node["oneOf"], loose);
  if (exactlyOne) dropped.add("oneOf");
  const kept = Object.entries(node).filter(([key]) => !dropped.has(key));
  const result: Node = Object.fromEntries(
    kept.map(([key, member]) => [key, looseMember(key, member, loose)]),
  );
  if (!exactlyOne) return result;
  const all = Array.isArray(result["allOf"]) ? (result["allOf"] as readonly unknown[]) : [];
  return { ...result, allOf: [...all, { anyOf: looseSchema(node["oneOf"], loose) }] };
}

function looseMember(key: string, member: unknown, loose: WeakSet<object>): unknown {
  if (valueKeywords.has(key)) return member;
  if (!mapKeywords.has(key) || typeof member !== "object" || member === null)
    return looseSchema(member, loose);
  return Object.fromEntries(
    Object.entries(member).map(([name, schema]) => [name, looseSchema(schema, loose)]),
  );
}

function isLoose(schema: unknown, loose: WeakSet<object>): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if (loose.has(schema) || "$ref" in schema || "$dynamicRef" in schema) return true;
  return Object.values(schema).some((member) => isLoose(member, loose));
}

/** A custom check within a schema, in the validator's form. */
export interface Refinement {
  /** The time of the check, in units of about 50 ns. */
  readonly cost: (value: unknown) => number;
  readonly check: (value: unknown) => boolean;
  readonly error: () => string;
}

/** Returns a check whose error text contains the keyword that it replaces. */
function refinement(options: {
  readonly keyword: string;
  readonly expected: string;
  readonly test: (value: unknown) => boolean;
  readonly cost: (value: unknown) => number;
}): Refinement {
  return {
    check: options.test,
    cost: options.cost,
    error: () => `${options.keyword}: ${options.expected}`,
  };
}

/** Returns the keyword and the expectation from the error text of a replaced keyword. */
export function readRefinement(message: string): { keyword: string; expected: string } {
  const end = message.indexOf(": ");
  return { keyword: message.slice(0, end), expected: message.slice(end + 2) };
}

/** The number of values up to which a list is counted: any larger list costs too much. */
const maxCounted = 1_000_000;

/** `uniqueItems` in linear time for any list. The validator's own check lists every duplicate. */
const uniqueItems: Refinement = refinement({
  keyword: "uniqueItems",
  expected: "a list without repeated items",
  test: (value) => !Array.isArray(value) || new Set(value.map(canonicalJson)).size === value.length,
  cost: (value) => (Array.isArray(value) ? 4 * countValues(value, maxCounted) : 0),
});
