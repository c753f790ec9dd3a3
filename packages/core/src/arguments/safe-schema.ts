import type { JsonSchema } from "../model/json.ts";
import { pointerPart } from "../variables/json-pointer.ts";
import { isObject } from "./json-type.ts";
import { isValue, looseSchema } from "./loose-schema.ts";
import { type PatternEngine, patternCheck } from "./pattern-check.ts";
import { danglingReference } from "./schema-references.ts";

export type SafeSchema =
  | { readonly status: "safe"; readonly schema: JsonSchema; readonly notes: readonly string[] }
  | { readonly status: "refused"; readonly message: string };

type Node = { readonly [key: string]: unknown };

/** Keywords whose members are named by the schema's author, so the names are no keywords. */
const maps = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
/** What drafts before 2019-09 heed beside a `$ref`. */
const besideReference = new Set(["$ref", "$id", "$defs", "definitions"]);
const maxDepth = 200;

/**
 * Rewrites a schema into one that is safe to validate with: patterns that could hang run on
 * `engine`, or are left out with a note. Where one is left out, what would turn stricter by it is
 * loosened too, so that a valid value is never refused.
 *
 * @param options.isLegacy draft-07 or older: what stands beside a `$ref` is ignored
 */
export function safeSchema(
  schema: JsonSchema,
  options: { isLegacy: boolean; engine?: PatternEngine },
): SafeSchema {
  const rewriting = new Rewriting(options);
  const rewritten = rewriting.schema(schema, "", 0) as JsonSchema;
  const dangling = rewriting.problem === undefined ? danglingReference(schema) : undefined;
  if (dangling !== undefined)
    rewriting.problem = `The reference ${JSON.stringify(dangling)} leads nowhere. Put what it names under $defs.`;
  if (rewriting.problem !== undefined) return { status: "refused", message: rewriting.problem };
  const safe = rewriting.isLoose
    ? (looseSchema(rewritten, rewriting.loose) as JsonSchema)
    : rewritten;
  return { status: "safe", schema: safe, notes: rewriting.notes };
}

class Rewriting {
  readonly notes: string[] = [];
  /** Schemas that let more pass than was written. */
  readonly loose = new WeakSet<object>();
  isLoose = false;
  problem: string | undefined;
  readonly #isLegacy: boolean;
  readonly #engine: PatternEngine | undefined;

  constructor(options: { isLegacy: boolean; engine?: PatternEngine }) {
    this.#isLegacy = options.isLegacy;
    this.#engine = options.engine;
  }

  schema(value: unknown, path: string, depth: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (depth > maxDepth) {
      this.problem ??= `The schema is nested deeper than ${maxDepth} levels.`;
      return true;
    }
    if (Array.isArray(value))
      return value.map((item, index) => this.schema(item, `${path}/${index}`, depth + 1));
    const node = value as Node;
    const ignoresRest = this.#isLegacy && typeof node["$ref"] === "string";
    const members: (readonly [string, unknown])[] = [];
    let isLoose = false;
    for (const [key, member] of Object.entries(node)) {
      if (key === "~refine" || (ignoresRest && !besideReference.has(key))) continue;
      const at = `${path}/${pointerPart(key)}`;
      if (key === "pattern" && typeof member === "string") {
        const { replacement, isComplete } = this.#pattern(member, at);
        if (replacement) members.push(replacement);
        isLoose ||= !isComplete;
      } else if (maps.has(key) && isObject(member)) {
        const kept = Object.entries(member).filter(
          ([name]) => key !== "patternProperties" || this.#isQuickKey(name, at),
        );
        const isCut = kept.length < Object.keys(member).length;
        isLoose ||= isCut;
        members.push([key, this.#map(kept, at, depth)]);
      } else members.push([key, isValue(key) ? member : this.schema(member, at, depth + 1)]);
    }
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
  ): { replacement?: readonly [string, unknown]; isComplete: boolean } {
    const check = patternCheck(source, this.#engine);
    switch (check.status) {
      case "native":
        return { replacement: ["pattern", source], isComplete: true };
      case "checked": {
        if (check.note !== undefined) this.notes.push(`At ${at}: ${check.note}`);
        const test = (value: unknown): boolean => typeof value !== "string" || check.test(value);
        return {
          replacement: [
            "~refine",
            [{ check: test, error: () => `must match the pattern ${source}` }],
          ],
          isComplete: check.complete,
        };
      }
      case "unchecked":
        this.notes.push(`At ${at}: ${check.note}`);
        return { isComplete: false };
      case "invalid":
        this.problem ??= `At ${at}: ${check.message}`;
        return { isComplete: true };
    }
  }

  /** Patterns of keys are tested by JavaScript's own engine only. */
  #isQuickKey(source: string, at: string): boolean {
    const check = patternCheck(source, undefined);
    if (check.status === "native") return true;
    const shown = JSON.stringify(source.slice(0, 100));
    if (check.status === "invalid") this.problem ??= `At ${at}: ${check.message}`;
    else
      this.notes.push(
        `At ${at}: The pattern ${shown} could take long to test on keys, so it is not enforced.`,
      );
    return false;
  }
}
