import { CapstanError, errorMessage } from "../base/errors.ts";
import type { JsonSchema } from "../base/json.ts";

/**
 * What is used of a Standard Schema that also gives JSON Schema: Zod 4.2 and later, ArkType,
 * Valibot. Source: standardschema.dev, versions 1 of both specifications.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema: {
      readonly input: (options: {
        readonly target: "draft-2020-12" | "draft-07";
      }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type OutputOf<S> = S extends StandardSchema<infer _Input, infer Output> ? Output : never;

/** ArkType's schemas are functions. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const isObject = typeof schema === "object" || typeof schema === "function";
  return isObject && schema !== null && "~standard" in schema;
}

/**
 * The schema's input as JSON Schema, without what costs tokens and says nothing.
 *
 * @throws CapstanError `invalid_tool` for a schema that cannot say itself as JSON Schema
 */
export function jsonSchemaOf(tool: string, schema: StandardSchema): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (jsonSchema === undefined) {
    const message = `The parameters of "${tool}" are a schema of ${vendor}, which gives no JSON Schema, and that is what models read. Convert it with what ${vendor} has for that, or write JSON Schema.`;
    throw new CapstanError({ code: "invalid_tool", message });
  }
  try {
    const { $schema: _dialect, ...rest } = jsonSchema.input({ target: "draft-2020-12" });
    return withoutSafeBounds(rest) as JsonSchema;
  } catch (cause) {
    const message = `The parameters of "${tool}" cannot be said as JSON Schema: ${errorMessage(cause)}`;
    throw new CapstanError({ code: "invalid_tool", message, cause });
  }
}

/** Zod says of every whole number that it is one that JavaScript can count to: ten tokens each. */
function withoutSafeBounds(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(withoutSafeBounds);
  const members = Object.entries(schema)
    .filter(
      ([key, value]) =>
        !(key === "maximum" && value === Number.MAX_SAFE_INTEGER) &&
        !(key === "minimum" && value === Number.MIN_SAFE_INTEGER),
    )
    .map(([key, value]) => [key, isData(key) ? value : withoutSafeBounds(value)] as const);
  return Object.fromEntries(members);
}

function isData(keyword: string): boolean {
  return ["const", "default", "enum", "examples"].includes(keyword);
}

/** A check in one line: `start: expected a positive number`. */
export function describeIssue(issue: StandardIssue): string {
  const path = (issue.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
