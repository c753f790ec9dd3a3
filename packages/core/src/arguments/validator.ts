import type { JsonSchema } from "../base/json.ts";
import { canonicalJson, digest, describeType, isObject } from "../json/json-value.ts";
import { checkFunction } from "./check-function.ts";
import { LruCache } from "../base/lru-cache.ts";
import {
  keySteps,
  maxPatternSteps,
  OutOfSteps,
  type PatternEngine,
  type StepBudget,
  type PatternCost,
} from "./pattern-check.ts";
import { metaSchemaProblem, referenceProblem } from "./meta-schema.ts";
import { safeSchema } from "./safe-schema.ts";
import { schemaChecks } from "./schema-checks.ts";
import { schemaDepthProblem } from "./schema-references.ts";
import {
  compileCostProblem,
  hasOnlyPointers,
  maxValidationCost,
  validationCost,
} from "./validation-cost.ts";
import {
  tooCostly,
  tooCostlyToReport,
  type ValidationIssue,
  validationIssues,
} from "./validation-issue.ts";
import { errorMessage } from "../base/errors.ts";

export type { PatternEngine } from "./pattern-check.ts";
export { isUnchecked } from "./validation-issue.ts";
export type { ValidationIssue } from "./validation-issue.ts";

/**
 * Checks values against one schema.
 *
 * @throws CapstanError `schema_checks_not_loaded` if nothing has awaited `loadSchemaChecks` yet
 */
export interface Validator {
  /** Returns the issues, at most about eight; empty if the value is valid. */
  validate(value: unknown): readonly ValidationIssue[];
  /** Returns whether the value is valid; faster than `validate`. */
  isValid(value: unknown): boolean;
}

/** A validator for a schema, or the reason why the schema is invalid. */
export type CompiledSchema =
  /** `notes` names the parts of the schema that are not enforced, with reasons. */
  | {
      readonly status: "compiled";
      readonly validator: Validator;
      readonly notes: readonly string[];
    }
  | { readonly status: "refused"; readonly message: string };

/** The options of `compileSchema`. */
export interface CompileOptions {
  /**
   * Matches patterns that could hang a backtracking engine. Without it they are not enforced, and
   * `notes` names them.
   */
  readonly pattern?: PatternEngine | undefined;
}

const maxSchemaLength = 1_000_000;
const maxCached = 500;
/** The maximum characters of a schema's text that are stored as a cache key. */
const longestKey = 4_096;
const anything: JsonSchema = {};
const nothing: JsonSchema = { not: {} };

interface SchemaCache {
  readonly bySchema: WeakMap<JsonSchema, CompiledSchema>;
  /** Keyed by the canonical text, or by its digest if the text is long. */
  readonly byText: LruCache<string, CompiledSchema>;
}

const noEngine = {};
const caches = new WeakMap<object, SchemaCache>();

/**
 * Compiles a schema (draft-07 or 2020-12, as `$schema` says) into a validator. The schema itself is
 * checked immediately, and compiled at its first use. If the runtime cannot generate code from
 * text, the schema is interpreted. Validators are cached by the schema's text. Do not change the
 * schema afterwards.
 *
 * @returns `refused` with the reason for an invalid schema: broken keywords, references without a
 * target, invalid patterns, more than 1,000,000 characters
 * @example
 * const compiled = compileSchema({ type: "object", required: ["path"] });
 * if (compiled.status === "compiled") compiled.validator.validate({}); // one issue, at /path
 */
export function compileSchema(
  schema: JsonSchema | boolean,
  options: CompileOptions = {},
): CompiledSchema {
  if (typeof schema === "boolean") return compileSchema(schema ? anything : nothing, options);
  if (!isObject(schema)) {
    const message = `A schema is an object, true or false, but this is ${describeType(schema)}.`;
    return { status: "refused", message };
  }
  const cache = cacheOf(options.pattern);
  const known = cache.bySchema.get(schema);
  if (known) return known;
  const tooDeep = schemaDepthProblem(schema);
  if (tooDeep !== undefined) return { status: "refused", message: tooDeep };
  let key: string;
  try {
    key = canonicalJson(schema);
    if (key.length > maxSchemaLength) {
      return {
        status: "refused",
        message: `The schema has more than ${maxSchemaLength} characters.`,
      };
    }
    if (key.length > longestKey) key = digest(schema);
  } catch (thrown) {
    return { status: "refused", message: `The schema is not JSON: ${errorMessage(thrown)}` };
  }
  const compiled = cache.byText.get(key) ?? compile(schema, options.pattern);
  cache.byText.set(key, compiled);
  cache.bySchema.set(schema, compiled);
  return compiled;
}

function compile(schema: JsonSchema, engine: PatternEngine | undefined): CompiledSchema {
  const problem =
    metaSchemaProblem(schema) ?? referenceProblem(schema) ?? compileCostProblem(schema);
  if (problem !== undefined) return { status: "refused", message: problem };
  const budget: StepBudget = { left: maxPatternSteps };
  const safe = safeSchema(schema, { engine, budget, costly: "counted" });
  if (safe.status === "refused") return safe;
  const exact = checkerOf(safe.schema);
  if (!safe.isCostly && safe.keyCosts.length === 0)
    return { status: "compiled", validator: validatorOf(safe.schema, exact), notes: safe.notes };
  const loose = safeSchema(schema, { engine, budget, costly: "left out" });
  if (loose.status === "refused") return loose;
  const counted = countedChecker({
    exact,
    loose: checkerOf(loose.schema),
    budget,
    keyCosts: safe.keyCosts,
  });
  return { status: "compiled", validator: validatorOf(safe.schema, counted), notes: safe.notes };
}

/** Enforces costly patterns while they stay within the budget, and ignores them afterwards. */
function countedChecker(parts: {
  readonly exact: Validator;
  readonly loose: Validator;
  readonly budget: StepBudget;
  readonly keyCosts: readonly PatternCost[];
}): Validator {
  const { exact, loose, budget, keyCosts } = parts;
  function apply<T>(value: unknown, check: (validator: Validator) => T): T {
    if (keyCosts.length > 0 && keySteps(value, keyCosts) > maxPatternSteps) return check(loose);
    budget.left = maxPatternSteps;
    try {
      return check(exact);
    } catch (thrown) {
      if (thrown instanceof OutOfSteps) return check(loose);
      throw thrown;
    }
  }
  return {
    validate: (value) => apply(value, (validator) => validator.validate(value)),
    isValid: (value) => apply(value, (validator) => validator.isValid(value)),
  };
}

function validatorOf(schema: JsonSchema, checker: Validator): Validator {
  return {
    validate(value) {
      schemaChecks();
      const cost = validationCost(schema, value);
      if (cost.check > maxValidationCost) return [tooCostly(value)];
      try {
        if (cost.report <= maxValidationCost) return checker.validate(value);
        return checker.isValid(value) ? [] : [tooCostlyToReport(value)];
      } catch (thrown) {
        // The schema refers to itself without end, or the value is nested too deeply.
        const received = "a value that cannot be checked";
        const message = `the schema could not be applied: ${errorMessage(thrown)}`;
        return [
          {
            path: "",
            expected: "a value that matches the schema",
            received,
            keyword: "$ref",
            message,
          },
        ];
      }
    },
    isValid(value) {
      schemaChecks();
      if (validationCost(schema, value).check > maxValidationCost) return false;
      try {
        return checker.isValid(value);
      } catch {
        return false;
      }
    },
  };
}

/** Compiled at its first use. */
function checkerOf(written: JsonSchema): Validator {
  const schema = withDialect(written);
  const bare = namesInherited(schema);
  let check: ((value: unknown) => boolean) | undefined;
  const isValid = (value: unknown): boolean => (check ??= checkFunction(schema))(value);
  const checkable = (given: unknown): unknown => (bare ? withoutPrototypes(given) : given);
  return {
    validate(given) {
      const value = checkable(given);
      return isValid(value) ? [] : validationIssues(schemaChecks().Errors(schema, value)[1], value);
    },
    isValid: (given) => isValid(checkable(given)),
  };
}

/**
 * Names the default dialect. Without one, the library searches the whole schema for the target of
 * each reference, to support the changed base URIs of old drafts.
 */
function withDialect(schema: JsonSchema): JsonSchema {
  return schema["$schema"] === undefined && hasOnlyPointers(schema)
    ? { ...schema, $schema: "https://json-schema.org/draft/2020-12/schema" }
    : schema;
}

/**
 * The names that every object inherits. A library that tests `key in value` mistakes them for own
 * properties.
 */
const inherited = Object.getOwnPropertyNames(Object.prototype).filter(
  (name) => name !== "__proto__" && name !== "constructor",
);

function namesInherited(schema: JsonSchema): boolean {
  const text = canonicalJson(schema);
  return inherited.some((name) => text.includes(`"${name}"`));
}

function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  const copy = Object.create(null) as { [key: string]: unknown };
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototypes(member);
  return copy;
}

function cacheOf(engine: PatternEngine | undefined): SchemaCache {
  let cache = caches.get(engine ?? noEngine);
  if (cache === undefined) {
    cache = { bySchema: new WeakMap(), byText: new LruCache(maxCached) };
    caches.set(engine ?? noEngine, cache);
  }
  return cache;
}
