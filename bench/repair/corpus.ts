import type { JsonObject, JsonSchema } from "@capstan/core";

/** A tool's schema, with valid calls. */
export interface CorpusTool {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly calls: readonly JsonObject[];
  /** Pointers to optional properties, which a call can omit. */
  readonly optional: readonly string[];
}

const draft7 = "http://json-schema.org/draft-07/schema#";
const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const texts = { type: "array", items: text };

function object(
  properties: JsonSchema,
  required: readonly string[] = [],
  rest: JsonSchema = {},
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false, ...rest };
}

/** Schemas like those of real tools, from flat ones to unions, references and recursion. */
export const corpus: readonly CorpusTool[] = [
  {
    name: "flat",
    schema: object(
      { path: text, offset: count, ratio: { type: "number" }, follow: { type: "boolean" } },
      ["path"],
    ),
    calls: [
      { path: "src/main.ts" },
      { path: "5", offset: 0, ratio: 0.25, follow: true },
      { path: '{"a": [1,]}', offset: 12, ratio: -3, follow: false },
      { path: "null", ratio: 1e21 },
      { path: 'first line\nit\'s the "second"\nthird' },
    ],
    optional: ["/offset", "/ratio", "/follow"],
  },
  {
    name: "lists",
    schema: object(
      {
        query: text,
        kinds: { type: "array", items: { enum: ["code", "text", "image"] } },
        sizes: { type: "array", items: { type: "integer" } },
        flags: { type: "array", items: { type: "boolean" } },
        tags: texts,
        grid: { type: "array", items: { type: "array", items: { type: "number" } } },
      },
      ["query"],
    ),
    calls: [
      { query: "a, b", kinds: ["code"], sizes: [3], flags: [true], tags: ["5"], grid: [[1, 2.5]] },
      { query: "[1]", kinds: ["code", "image"], sizes: [1, 2, 3], tags: ["true", "x", "{}"] },
      { query: "one\ntwo", kinds: ["text", "code"], tags: ["INBOX", "UNREAD"] },
      { query: "", sizes: [], flags: [false, true], tags: [], grid: [[0], [], [1e-7, -2]] },
    ],
    optional: ["/kinds", "/sizes", "/flags", "/tags", "/grid"],
  },
  {
    name: "nested",
    schema: object(
      {
        address: object(
          {
            street: text,
            zip: { type: "string", pattern: "^[0-9]{5}$" },
            place: object({ lat: { type: "number" }, lon: { type: "number" } }, ["lat", "lon"]),
            notes: texts,
          },
          ["street"],
        ),
        express: { type: "boolean" },
      },
      ["address"],
    ),
    calls: [
      { address: { street: "Main 1", zip: "01234", place: { lat: 52.5, lon: 13 } }, express: true },
      { address: { street: "12\nBack yard", notes: ["ring twice", "it's loud"] } },
    ],
    optional: ["/express", "/address/zip", "/address/place", "/address/notes"],
  },
  {
    name: "list of objects",
    schema: object(
      {
        items: {
          type: "array",
          minItems: 1,
          items: object(
            { sku: text, count, price: { type: "number" }, gift: { type: "boolean" } },
            ["sku", "count"],
          ),
        },
      },
      ["items"],
    ),
    calls: [
      { items: [{ sku: "7", count: 1 }] },
      {
        items: [
          { sku: "A", count: 2, price: 9.5, gift: false },
          { sku: "B", count: 0 },
        ],
      },
    ],
    optional: ["/items/0/price", "/items/0/gift"],
  },
  {
    name: "nullable",
    schema: object(
      {
        limit: { type: ["integer", "null"] },
        exact: { anyOf: [{ type: "boolean" }, { type: "null" }] },
        ids: { oneOf: [{ type: "array", items: { type: "integer" } }, { type: "null" }] },
        filter: { anyOf: [object({ depth: count }), { type: "null" }] },
      },
      ["limit", "exact"],
    ),
    calls: [
      { limit: 5, exact: true, ids: [1], filter: { depth: 2 } },
      { limit: null, exact: false, ids: [1, 2], filter: null },
      { limit: 0, exact: null },
    ],
    optional: ["/ids", "/filter"],
  },
  {
    name: "unions",
    schema: object(
      {
        target: { anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }] },
        value: { type: ["string", "number"] },
        when: { oneOf: [{ type: "boolean" }, object({ after: { type: "number" } }, ["after"])] },
      },
      ["target"],
    ),
    calls: [
      { target: 3, value: "3", when: true },
      { target: [1, 2], value: 3, when: { after: 1.5 } },
    ],
    optional: ["/value", "/when"],
  },
  {
    name: "discriminated union",
    schema: object(
      { step: { oneOf: [{ $ref: "#/$defs/wait" }, { $ref: "#/$defs/click" }] } },
      ["step"],
      {
        $defs: {
          wait: object({ kind: { const: "wait" }, value: { type: "number" } }, ["kind", "value"]),
          click: object({ kind: { enum: ["click"] }, value: text, times: count }, [
            "kind",
            "value",
          ]),
        },
      },
    ),
    calls: [
      { step: { kind: "wait", value: 2.5 } },
      { step: { kind: "click", value: "5", times: 2 } },
    ],
    optional: ["/step/times"],
  },
  {
    name: "recursion",
    schema: object({ tree: { $ref: "#/$defs/node" } }, ["tree"], {
      $defs: {
        node: object({
          name: text,
          size: count,
          open: { type: "boolean" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
        }),
      },
    }),
    calls: [
      { tree: { name: "a", size: 1, children: [{ name: "b", open: true, children: [] }] } },
      { tree: { children: [{ children: [{ size: 4 }] }, { name: "c" }] } },
    ],
    optional: ["/tree/name", "/tree/size", "/tree/open", "/tree/children/0/size"],
  },
  {
    name: "enums",
    schema: object(
      {
        level: { enum: [1, 2, 3] },
        mode: { enum: ["fast", "safe"] },
        version: { const: 2 },
        on: { enum: [true] },
        pair: { enum: [[1, 2], [3]] },
      },
      ["level", "mode"],
    ),
    calls: [
      { level: 2, mode: "fast", version: 2, on: true, pair: [1, 2] },
      { level: 1, mode: "safe" },
    ],
    optional: ["/version", "/on", "/pair"],
  },
  {
    name: "tuples",
    schema: object(
      {
        range: {
          type: "array",
          prefixItems: [{ type: "integer" }, { type: "number" }],
          items: { type: "boolean" },
          minItems: 2,
        },
      },
      ["range"],
    ),
    calls: [{ range: [1, 2.5] }, { range: [1, 2, true, false] }],
    optional: [],
  },
  {
    name: "draft-07 combination",
    schema: {
      $schema: draft7,
      definitions: {
        page: {
          properties: { page: { type: "integer" }, size: { type: "integer", maximum: 100 } },
        },
        ids: { type: "array", items: [{ type: "string" }], additionalItems: { type: "integer" } },
      },
      type: "object",
      allOf: [{ $ref: "#/definitions/page" }, { properties: { sort: { type: "boolean" } } }],
      properties: { query: text, ids: { $ref: "#/definitions/ids" } },
      required: ["query"],
    },
    calls: [
      { query: "x", page: 1, size: 50, sort: true, ids: ["7", 7] },
      { query: "1", size: 0, ids: ["a"] },
    ],
    optional: ["/page", "/size", "/sort", "/ids"],
  },
  {
    name: "maps",
    schema: object(
      {
        scores: { type: "object", additionalProperties: { type: "number" } },
        headers: { type: "object", patternProperties: { "^x-": { type: "integer" } } },
      },
      [],
    ),
    calls: [
      { scores: { ann: 1, bob: 2.5 }, headers: { "x-a": 1, other: "1" } },
      { scores: {}, headers: { "x-b": -1 } },
    ],
    optional: ["/scores", "/headers"],
  },
  {
    name: "free form",
    schema: { type: "object", properties: { data: {}, count }, required: ["data"] },
    calls: [
      { data: "[1, 2]", count: 1, more: "5" },
      { data: { a: "5", b: ["true"] }, count: 2 },
      { data: 5 },
    ],
    optional: ["/count"],
  },
  {
    name: "conditions",
    schema: {
      type: "object",
      properties: {
        method: { enum: ["get", "post"] },
        body: { type: "object" },
        retries: { type: "integer", maximum: 5, multipleOf: 1 },
        delay: { type: "number", exclusiveMinimum: 0 },
      },
      required: ["method"],
      if: { properties: { method: { const: "post" } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["body"] },
      dependentRequired: { retries: ["delay"] },
      unevaluatedProperties: false,
    },
    calls: [
      { method: "get", retries: 3, delay: 0.5 },
      { method: "post", body: { a: "5", list: ["1"] } },
    ],
    optional: ["/delay", "/retries"],
  },
];
