import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentFields, readArguments } from "./argument-fields.ts";

const schema = {
  type: "object",
  properties: {
    city: { type: "string", description: "The town." },
    days: { type: "integer", default: 3 },
    unit: { type: "string", enum: ["c", "f"] },
    wind: { type: "boolean", default: false },
    at: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    ids: { type: "array", items: { type: "integer" } },
    stay: { $ref: "#/$defs/Stay" },
    size: { type: ["number", "null"] },
    any: {},
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
  },
  required: ["city", "unit", "stay"],
  $defs: { Stay: { type: "object", description: "A time." } },
};
const fields = argumentFields(schema);
const read = (written: { readonly [name: string]: string }) => readArguments(fields, written);

test("each parameter has a field of its kind and a short type", () => {
  assert.deepEqual(
    fields.map(({ name, type, typeText, isRequired, defaultText }) =>
      [name, type, typeText, isRequired ? "needed" : "", defaultText ?? ""].join(" ").trim(),
    ),
    [
      "city text string needed",
      "days number integer  3",
      'unit choice "c" or "f" needed',
      "wind choice boolean  false",
      "at text string  null",
      "ids json list of integer",
      "stay json object needed",
      "size number number",
      "any json anything",
      "either json string or integer",
    ],
  );
  assert.equal(fields.find(({ name }) => name === "stay")?.description, "A time.");
  assert.deepEqual(fields.find(({ name }) => name === "unit")?.choices, ['"c"', '"f"']);
  assert.deepEqual(argumentFields({ type: "object" }), []);
});

test("field texts become arguments of the right types; empty fields are omitted", () => {
  const written = { city: "Bergen", unit: '"c"', stay: '{"nights": 2}', wind: "true", days: "4" };
  assert.deepEqual(read(written), {
    type: "arguments",
    value: { city: "Bergen", unit: "c", stay: { nights: 2 }, wind: true, days: 4 },
  });
  assert.deepEqual(read({ ...written, city: "" }).type, "arguments");
});

test("a missing or unreadable value is reported at its field", () => {
  const wrong = read({ city: "x", days: "many", ids: "[1", either: "plain" });
  assert.ok(wrong.type === "invalid");
  assert.deepEqual(Object.keys(wrong.errors).toSorted(), ["days", "either", "ids", "stay", "unit"]);
  assert.match(wrong.errors["either"] ?? "", /Write text as "text"/);
  assert.equal(wrong.errors["unit"], "This argument is required.");
});

test("names of Object.prototype properties are ordinary parameters", () => {
  const odd = argumentFields({
    properties: { constructor: { type: "string" }, a: { $ref: "#/$defs/toString" } },
    $defs: {},
  });
  assert.deepEqual(
    odd.map(({ name, type }) => [name, type]),
    [
      ["constructor", "text"],
      ["a", "json"],
    ],
  );
});

test("a few choices are listed, many are counted", () => {
  const many = { enum: Array.from({ length: 30 }, (_, n) => `choice ${n}`) };
  assert.equal(argumentFields({ properties: { many } })[0]?.typeText, "one of 30");
});
