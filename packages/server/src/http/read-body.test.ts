import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { measureJson } from "@capstan/core/base";
import { parseBody, parseJson, StoredData } from "./read-body.ts";

function bodyOf(body: unknown): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request("http://127.0.0.1/", { method: "POST", body: text });
}

const image = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;

function requestWith(...parts: readonly object[]) {
  return { input: [{ role: "user", content: parts }], store: true };
}

for (const [name, size] of [
  ["a short body", 60_000],
  ["a body parsed by a thread", 3_000_000],
] as const)
  test(`${name}: images and files are extracted as bytes, everything else stays unchanged`, async () => {
    const [one, other] = [randomBytes(size), randomBytes(40_000)];
    const small = { type: "input_image", image_url: image(randomBytes(100)) };
    const text = { type: "input_text", text: "é".repeat(40_000) };
    const parsed = (await parseBody(
      bodyOf(
        requestWith(
          { type: "input_image", image_url: image(one) },
          { type: "input_file", filename: "a.pdf", file_data: other.toString("base64") },
          small,
          text,
        ),
      ),
    )) as { input: { content: Record<string, unknown>[] }[]; store: boolean };
    const [first, second, third, fourth] = parsed.input[0]?.content ?? [];
    const taken = first?.["image_url"] as StoredData;
    assert.ok(taken instanceof StoredData);
    assert.deepEqual(Buffer.from(taken.bytes ?? []), one);
    assert.equal(taken.prefix, "data:image/png;base64,");
    const file = second?.["file_data"] as StoredData;
    assert.deepEqual([Buffer.from(file.bytes ?? []), file.prefix], [other, ""]);
    assert.deepEqual([third, fourth, parsed.store], [small, text, true]);
  });

test("non-canonical Base64 and references written by clients stay unchanged", async () => {
  const nonCanonical = `${"A".repeat(40_001)}B==`.slice(0, 40_000);
  const parts = [
    { type: "input_image", image_url: `data:image/png;base64,${nonCanonical.slice(0, -1)}\n` },
    { type: "input_image", image_url: { sha256: "0".repeat(64), size: 3, prefix: "" } },
  ];
  assert.deepEqual(await parseBody(bodyOf(requestWith(...parts))), requestWith(...parts));
});

test("a long body that is not JSON is a syntax error, and the next one is parsed", async () => {
  await assert.rejects(parseBody(bodyOf(`{"a": "${"b".repeat(2_000_000)}`)), SyntaxError);
  const body = { a: "b".repeat(2_000_000) };
  assert.deepEqual(await parseBody(bodyOf(body)), body);
  assert.deepEqual(await parseBody(bodyOf("")), {});
});

test("a body with too many values is rejected, however it is parsed", async () => {
  for (const text of ["", "b".repeat(2_000_000)]) {
    const values = Array.from({ length: 50_001 }, () => 0);
    await assert.rejects(parseBody(bodyOf({ text, values })), {
      status: 413,
      code: "body_too_many_values",
    });
    assert.ok(await parseBody(bodyOf({ text, values: values.slice(10) })));
  }
});

test("a body with too many levels is rejected", async () => {
  const nested = (levels: number, text = "") =>
    `{"text": "${text}", "a": ${"[".repeat(levels)}${"]".repeat(levels)}}`;
  assert.ok(await parseBody(bodyOf(nested(900))));
  for (const text of ["", "b".repeat(2_000_000)])
    for (const levels of [1_001, 200_000])
      await assert.rejects(parseBody(bodyOf(nested(levels, text))), {
        name: "SyntaxError",
        message: /nested deeper than 1000 levels/,
      });
});

test("a body that is too deep is rejected before it is parsed", async () => {
  // `JSON.parse` needs gigabytes of memory and a minute to find that none of 60 MB of brackets is
  // closed.
  const body = new Request("http://localhost", { method: "POST", body: "[".repeat(5_000_000) });
  await assert.rejects(parseBody(body), /nested deeper than 1000 levels/);
});

test("values are counted as JSON.parse creates them", () => {
  const count = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce<number>((sum, member) => sum + count(member), 1)
      : 1;
  const depth = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(depth))
      : 0;
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (json, indent) => {
      const bytes = Buffer.from(JSON.stringify(json, null, indent));
      const [values, levels] = [count(json), depth(json)];
      assert.equal(measureJson(bytes, { values, levels }).status, "measured");
      assert.equal(measureJson(bytes, { values: values - 1, levels }).status, "too_many_values");
      if (levels > 0)
        assert.equal(measureJson(bytes, { values, levels: levels - 1 }).status, "too_deep");
    }),
  );
});

const twice: readonly (readonly [body: string, message: RegExp])[] = [
  ['{"input": "a", "model": "m", "input": "b"}', /^it has the key "input" twice/],
  [
    '{"input": [{}, {"approve": false, "id": {"a": ["approve"]}, "approve": true}]}',
    /^input\[1\] has the key "approve" twice/,
  ],
  ['{"a": {"b,[": [1, {"x": 1, "\\u0078" : 2}]}}', /^a\.b,\[\[1\] has the key "x" twice/],
  ['{"__proto__": 1, "__proto__": 2}', /^it has the key "__proto__" twice/],
  ['{"\\\\\\"": "\\\\", "\\\\\\"": ""}', /^it has the key/],
];
for (const [body, message] of twice)
  test(`a repeated key is rejected by its name: ${body}`, async () => {
    await assert.rejects(parseBody(bodyOf(body)), { name: "SyntaxError", message });
    const long = `{"long": "${"b".repeat(2_000_000)}", ${body.slice(1)}`;
    await assert.rejects(parseBody(bodyOf(long)), { name: "SyntaxError", message });
  });

test("JSON without repeated keys is read unchanged, whatever its strings contain", () => {
  const quoted = fc.string({ unit: fc.constantFrom('"', "\\", ":", "{", ",", " ", "a") });
  const value = fc.anything({ key: quoted, values: [quoted, fc.integer(), fc.constant(null)] });
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2), (json, indent) => {
      const text = JSON.stringify(json, null, indent);
      assert.deepEqual(parseJson(Buffer.from(text)).value, JSON.parse(text));
    }),
  );
});
