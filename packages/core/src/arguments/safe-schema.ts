import type { JsonSchema } from "../base/json.ts";
import { pointerPart } from "../json/json-pointer.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isObject } from "../json/json-value.ts";
import { keyPattern } from "./key-pattern.ts";
import { looseSchema } from "./loose-schema.ts";
import { type Refinement, refinement, uniqueItems } from "./refinement.ts";
import { patternCheck, type PatternEngine, type StepBudget } from "./pattern-check.ts";
import type { PatternCost } from "./pattern-cost.ts";
import { isLegacySchema, mapKeywords, maxSchemaDepth, valueKeywords } from "./schema-keywords.ts";

export type SafeSchema =
  | {
      readonly status: "safe";
      readonly schema: JsonSchema;
      /** What is not enforced, and why. */
      readonly notes: readonly string[];
      /** Of key patterns that are to be counted (`keySteps`) before they are tried. */
      readonly keyCosts: readonly PatternCost[];
      /** Whether some pattern may run out of steps. */
      readonly isCostly: boolean;
    }
  | { readonly status: "refused"; readonly message: string };

export interface SafeSchemaOptions {
  readonly engine?: PatternEngine | undefined;
  readonly budget: StepBudget;
  /** Patterns that take more than linear time: tried within the budget, or left out. */
  readonly costly: "counted" | "left out";
}

type Node = { readonly [key: string]: unknown };

/** What drafts before 2019-09 heed beside a `$ref`. */
const besideReference = new Set(["$ref", "$id", "$defs", "definitions"]);
/** Say nothing of whether a value fits, and must not be found by a reference. */
const annotations = new Set(["default", "examples", "$comment", "~refine"]);
/**
 * What may fail without the whole failing. The validator takes what such a schema has seen so far for
 * evaluated, which it does not within these. (A pointer that leads into them forbids it.)
 */
const isolated: { readonly [keyword: string]: (schema: unknown) => JsonSchema } = {
  if: (schema) => ({ anyOf: [schema] }),
  // Of items it says nothing at all to the list.
  contains: (schema) => ({ not: { not: schema } }),
};
/** Of a draft that is not claimed. */
const foreign = new Set(["$recursiveRef", "$recursiveAnchor"]);

/**
 * Rewrites a schema into one that is safe to validate with: patterns that could hang run on
 * `engine`, are counted, or are left out with a note. Where one is left out, what would turn
 * stricter by it is loosened too, so that a valid value is never refused.
 */
export function safeSchema(schema: JsonSchema, options: SafeSchemaOptions): SafeSchema {
  const rewriting = new Rewriting(options, schema);
  const rewritten = rewriting.schema(schema, "", 0) as JsonSchema;
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
  /** Schemas that let more pass than was written. */
  readonly loose = new WeakSet<object>();
  isLoose = false;
  isCostly = false;
  problem: string | undefined;
  readonly #options: SafeSchemaOptions;
  readonly #isLegacy: boolean;
  /** Whether what is only tried has to be kept apart from what is counted as evaluated. */
  readonly #isolates: boolean;

  constructor(options: SafeSchemaOptions, schema: JsonSchema) {
    this.#options = options;
    this.#isLegacy = isLegacySchema(schema);
    const text = canonicalJson(schema);
    this.#isolates = text.includes('"unevaluated') && !/\/(?:if|contains)\//.test(text);
  }

  schema(value: unknown, path: string, depth: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxSchemaDepth) {
      this.problem ??= `The schema is nested deeper than ${maxSchemaDepth} levels.`;
      return true;
    }
    if (Array.isArray(value))
      return value.map((item, index) => this.schema(item, `${path}/${index}`, depth + 1));
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
        members.push([key, this.#map(kept, at, depth)]);
      } else {
        const safe = valueKeywords.has(key) ? member : this.schema(member, at, depth + 1);
        const isolate = this.#isolates && Object.hasOwn(isolated, key) ? isolated[key] : undefined;
        members.push([key, isolate ? isolate(safe) : safe]);
      }
    }
    if (refinements.length > 0) members.push(["~refine", refinements]);
    if (!isLoose) return Object.fromEntries(members);
    // Which properties are additional is not known where a key's pattern is left out.
    const result = Object.fromEntries(
      members.filter(
        ([key]) => key !== "additionalProperties" || !isObject(node["patternProperties"]),
      ),
    );
    this.loose.add(result);
    this.isLoose = true;
    return result;
  }

  #map(members: readonly (readonly [string, unknown])[], path: string, depth: number): Node {
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        this.schema(member, `${path}/${pointerPart(name)}`, depth + 1),
      ]),
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
