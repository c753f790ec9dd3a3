import fc from "fast-check";
import type { JsonObject, JsonSchema, JsonValue } from "../src/base/json.ts";

/** A tool's schema with a call that is valid for it. */
export interface ToolCall {
  readonly schema: JsonSchema;
  readonly call: JsonObject;
  /** Optional properties at the top, as pointers. */
  readonly optional: readonly string[];
}

interface Sample {
  readonly schema: JsonSchema;
  readonly value: JsonValue;
}

/** Words that are not JSON, because text that is JSON may be meant as its value. */
const word = fc
  .stringMatching(/^[a-z ]{0,6}$/)
  .filter((text) => !["true", "false", "null"].includes(text));

const { sample } = fc.letrec<{ sample: Sample }>((tie) => {
  const inner = tie("sample");
  return {
    sample: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      word.map((value) => ({ schema: { type: "string" }, value })),
      fc.integer().map((value) => ({ schema: { type: "integer" }, value })),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((value) => ({ schema: { type: "number" }, value: value === 0 ? 0 : value })),
      fc.boolean().map((value) => ({ schema: { type: "boolean" }, value })),
      fc
        .constantFrom<JsonValue>(1, 2.5, true, "on")
        .map((value) => ({ schema: { enum: [value] }, value })),
      inner.map(nullable),
      list(inner),
      object(inner),
      fc.tuple(inner, inner).map(([one, other]) => ({
        schema: { anyOf: [one.schema, other.schema] },
        value: one.value,
      })),
      inner.map(({ schema, value }) => ({ schema: { allOf: [schema, {}] }, value })),
    ),
  };
});

/** Schemas of every kind that tools have, each with a valid call. */
export const toolCall: fc.Arbitrary<ToolCall> = fc
  .dictionary(fc.constantFrom("a", "b", "c", "d"), fc.tuple(sample, fc.boolean(), fc.boolean()))
  .map((members) => {
    const entries = Object.entries(members);
    const isRequired = ([, [, required]]: (typeof entries)[number]): boolean => required;
    const given = entries.filter(([, [, required, present]]) => required || present);
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(entries.map(([key, [{ schema }]]) => [key, schema])),
        required: entries.filter(isRequired).map(([key]) => key),
        additionalProperties: false,
      },
      call: Object.fromEntries(given.map(([key, [{ value }]]) => [key, value])),
      optional: entries.filter((entry) => !isRequired(entry)).map(([key]) => `/${key}`),
    };
  });

function nullable({ schema, value }: Sample): Sample {
  return { schema: { anyOf: [schema, { type: "null" }] }, value };
}

function list(item: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.tuple(item, fc.integer({ min: 0, max: 3 })).map(([{ schema, value }, length]) => ({
    schema: { type: "array", items: schema },
    value: Array.from({ length }, () => value),
  }));
}

function object(member: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc.dictionary(fc.constantFrom("x", "y"), member).map((members) => {
    const entries = Object.entries(members);
    return {
      schema: {
        type: "object",
        properties: Object.fromEntries(entries.map(([key, { schema }]) => [key, schema])),
        required: entries.map(([key]) => key),
      },
      value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    };
  });
}
