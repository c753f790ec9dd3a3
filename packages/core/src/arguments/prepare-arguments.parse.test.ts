import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseArguments } from "./prepare-arguments.ts";

function args(text: string): unknown {
  const parsed = parseArguments(text);
  return parsed.status === "parsed" ? parsed.args : parsed.error.message;
}

test("an empty text means no arguments", () => {
  for (const text of ["", "  \n", "{}", "```json\n{}\n```"]) assert.deepEqual(args(text), {});
});

// Contract: executor-92
test("a code fence, trailing commas and an object as text are repaired and noted", () => {
  assert.deepEqual(parseArguments('```json\n{"a": [1, 2,],}\n```'), {
    status: "parsed",
    args: { a: [1, 2] },
    repairs: ["removed the code fence", "removed a trailing comma"],
  });
  assert.deepEqual(parseArguments(JSON.stringify('{"a":"x"}')), {
    status: "parsed",
    args: { a: "x" },
    repairs: ["parsed the object in a JSON string"],
  });
  assert.deepEqual(parseArguments('{"a":1}'), { status: "parsed", args: { a: 1 }, repairs: [] });
});

// Contract: executor-92
test("a repeated key of an object is rejected by its name, even with equal values", () => {
  const message = (text: string) => {
    const parsed = parseArguments(text);
    return parsed.status === "failed" ? parsed.error.message : parsed.args;
  };
  assert.equal(
    message('{"path": "a.txt", "path": "b.txt"}'),
    'The arguments have the key "path" twice. Send each key once. Send one JSON object, for example {"name": "value"}.',
  );
  assert.match(
    String(message('{"files": [{}, {"to": {"to": 1}, "\\u0074o": ":"}]}')),
    /^The arguments have the key "to" twice at \/files\/1\./,
  );
  assert.match(String(message('{"a": 1, "a": 1}')), /"a" twice/);
  assert.match(
    String(message(JSON.stringify('{"a": 1, "a": 2}'))),
    /JSON string that does not contain a valid object/,
  );
  assert.match(String(message('```json\n{"a": 1, "a": 2}\n```')), /not valid JSON/);
  assert.deepEqual(message('{"a": "b: c: d", "b": {"a": ":"}}'), { a: "b: c: d", b: { a: ":" } });
});

test("fences and trailing commas within a string are unchanged", () => {
  assert.deepEqual(args('{"a": ",]", "b": "\\",}", "c": [1,],}'), { a: ",]", b: '",}', c: [1] });
  assert.deepEqual(args('{"a":"```x```"}'), { a: "```x```" });
});

// Contract: executor-233
test("text that is not one object is rejected", () => {
  for (const text of [
    "null",
    "[]",
    "[{}]",
    "5",
    '"x"',
    "true",
    '"[1]"',
    "{",
    '{"a":}',
    '{"a":1} {"b":2}',
    '{"a":1,"a":2,}',
    "{a:1}",
    '"{\\"a\\":}"',
  ]) {
    assert.equal(parseArguments(text).status, "failed", text);
  }
  assert.match(String(args("[1]")), /are a list, not an object. Send one JSON object/);
});

test("keys that could pollute a prototype are own data", () => {
  const parsed = args(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  ) as object;
  assert.deepEqual(Object.keys(parsed), ["__proto__", "constructor"]);
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test("rejects only whole numbers that would lose digits", () => {
  assert.match(
    String(args('{"id": 12345678901234567891}')),
    /12345678901234567891 .* cannot be represented/,
  );
  assert.deepEqual(args('{"id": 1000000000000000000000}'), { id: 1e21 });
  assert.deepEqual(args('{"id": "12345678901234567891", "pi": 3.14159265358979323846}'), {
    id: "12345678901234567891",
    pi: Math.PI,
  });
});

test("a number that is too large for a double is rejected, and accepted as text", () => {
  for (const number of ["1e400", "-1E+999", "9".repeat(400)])
    assert.match(String(args(`{"n": ${number}}`)), /cannot be represented exactly/);
  assert.deepEqual(args('{"n": "1e400", "small": 1e300}'), { n: "1e400", small: 1e300 });
});

test("nesting of 200 levels is accepted, and deeper nesting is rejected", () => {
  const nested = (levels: number): string =>
    `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
  assert.equal(parseArguments(nested(200)).status, "parsed");
  assert.match(String(args(nested(201))), /nested 201 levels/);
  assert.equal(parseArguments(nested(100_000)).status, "failed");
  assert.equal(parseArguments("[".repeat(100_000)).status, "failed");
});

test("10 MB are read in linear time, broken or not", () => {
  const list = `[${"12345678901,".repeat(250_000)}1]`;
  const start = process.threadCpuUsage().user;
  assert.equal(parseArguments(`{"a":${list},"s":"${"x".repeat(7_000_000)}"}`).status, "parsed");
  assert.equal(parseArguments(`{"a":${list},}`).status, "parsed");
  assert.equal(parseArguments("```".repeat(3_000_000)).status, "failed");
  assert.equal(parseArguments(`{"a": "${"\\".repeat(5_000_000)}`).status, "failed");
  const lines = "\n".repeat(100_000);
  assert.equal(parseArguments(`${lines}x${lines}{'a':1}`).status, "failed");
  assert.ok(process.threadCpuUsage().user - start < 4_000_000);
});

test("every object is parsed unchanged, and nothing throws", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom(0, 1, 2),
      (object, wrap) => {
        const json = JSON.stringify(object);
        const text = [json, `\`\`\`json\n${json}\n\`\`\``, JSON.stringify(json)][wrap] as string;
        assert.deepEqual(args(text), JSON.parse(json));
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("{", "}", "[", "]", '"', ",", ":", "1", "`", "\\", "a", "\n"),
      }),
      (text) => {
        parseArguments(text);
      },
    ),
    { numRuns: 500 },
  );
});
