import assert from "node:assert/strict";
import { test } from "node:test";
import { isToolError, type ToolErrorData } from "@capstan/core";
import fc from "fast-check";
import { call, fakeContext } from "@capstan/core/testing";
import { text } from "./text.ts";

const tool = text();
type Args = { readonly [name: string]: unknown };

async function failure(args: Args): Promise<ToolErrorData> {
  const result = await call(tool, args);
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

test("counting uses the characters that users see", async () => {
  assert.deepEqual(await call(tool, { operation: "count", text: "naïve 👩‍👩‍👧 don't\nend\n" }), {
    characters: 18,
    words: 3,
    lines: 2,
    utf8Bytes: 36,
    utf16Units: 25,
  });
});

test("plain operations", async () => {
  const cases: readonly (readonly [Args, unknown])[] = [
    [{ operation: "upper", text: "straße" }, "STRASSE"],
    [{ operation: "lower", text: "ÄB" }, "äb"],
    [{ operation: "title", text: "hello wORLD, it's élan" }, "Hello World, It's Élan"],
    [{ operation: "trim", text: "\n a b \t" }, "a b"],
    [{ operation: "split", text: "a\r\nb\nc\n" }, ["a", "b", "c"]],
    [{ operation: "split", text: "a, b", separator: ", " }, ["a", "b"]],
    [{ operation: "join", items: ["a", "b"], separator: "-" }, "a-b"],
    [{ operation: "replace", text: "a.b.c", search: ".", replacement: "$&" }, "a$&b$&c"],
    [{ operation: "lines", text: "1\n2\n3\n4", start: 2, count: 2 }, "2\n3"],
    [{ operation: "slice", text: "abcdef", start: -3, count: 2 }, "de"],
    [{ operation: "sort", text: "b10\nb9\na" }, "a\nb10\nb9"],
    [{ operation: "sort", text: "b10\nb9\na", numeric: true, descending: true }, "b10\nb9\na"],
    [{ operation: "unique", text: "b\na\nb" }, "b\na"],
    [{ operation: "base64_encode", text: "é" }, "w6k="],
    [{ operation: "base64_decode", text: "w6k" }, "é"],
    [{ operation: "url_encode", text: "a b&ü" }, "a%20b%26%C3%BC"],
    [{ operation: "url_decode", text: "a%20b%26" }, "a b&"],
    [{ operation: "hash", text: "abc", algorithm: "md5" }, "900150983cd24fb0d6963f7d28e17f72"],
  ];
  for (const [args, expected] of cases)
    assert.deepEqual(await call(tool, args), expected, JSON.stringify(args));
});

test("text that is not encoded is rejected", async () => {
  assert.equal((await failure({ operation: "base64_decode", text: "a*b" })).code, "invalid_base64");
  assert.equal(
    (await failure({ operation: "base64_decode", text: "/////w==" })).code,
    "binary_content",
  );
  assert.match((await failure({ operation: "url_decode", text: "ab%zz" })).message, /character 2/);
  assert.equal((await failure({ operation: "upper" })).code, "missing_argument");
  assert.match(
    (await failure({ operation: "lines", text: "a\nb", start: 9 })).message,
    /has 2 lines/,
  );
});

test("regex_find returns groups and positions, and reports whether there are more matches", async () => {
  const found = await call(tool, {
    operation: "regex_find",
    text: "a=1, bb=22, c=3",
    pattern: "(\\w+)=(?P<n>\\d)?(x)?",
    max: 2,
  });
  assert.deepEqual(found, {
    matches: [
      { start: 0, end: 3, match: "a=1", groups: ["a", "1", null] },
      { start: 5, end: 9, match: "bb=2", groups: ["bb", "2", null] },
    ],
    more: true,
  });
});

test("regex_replace inserts groups by number and name, and keeps other dollar signs", async () => {
  const replaced = (pattern: string, replacement: string) =>
    call(tool, { operation: "regex_replace", text: "John Smith", pattern, replacement });
  assert.equal(
    await replaced("(\\w+) (?P<last>\\w+)", "$<last>, $1 [$&] $$1 $9 $<no>"),
    "Smith, John [John Smith] $1 $9 $<no>",
  );
  assert.equal(await replaced("x*", "-"), "-J-o-h-n- -S-m-i-t-h-");
});

test("a pattern that RE2 does not support is rejected with the unsupported part", async () => {
  const refused = (pattern: string) => failure({ operation: "regex_find", text: "a", pattern });
  assert.match((await refused("a(?=b)")).message, /lookahead/);
  assert.match((await refused("(?<!a)b")).message, /lookbehind/);
  assert.match((await refused("(a)\\1")).message, /backreferences/);
  assert.match((await refused("a++")).message, /possessive/);
  assert.match((await refused("[a")).message, /missing closing \]/);
  assert.equal((await refused("a".repeat(5000))).code, "invalid_pattern");
});

test("catastrophic patterns run quickly", async () => {
  const started = performance.now();
  const evil = `${"a".repeat(20_000)}!`;
  for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(.*a){12}$", "^([a-zA-Z]+)*$"]) {
    await call(tool, { operation: "regex_find", text: evil, pattern });
  }
  assert.ok(performance.now() - started < 10_000);
});

test("a quadratic search does not block the event loop and stops with the call", async () => {
  const controller = new AbortController();
  const args = {
    operation: "regex_find",
    text: "a".repeat(200_000),
    pattern: "a.*x|a",
    max: 10_000,
  };
  // If the search blocked the event loop, it would end before the eighth tick.
  let ticks = 0;
  const ticking = setInterval(() => {
    if (++ticks === 8) controller.abort(new Error("stopped"));
  }, 10);
  const running = call(tool, args, fakeContext({ signal: controller.signal }));
  await assert.rejects(running, /stopped/);
  clearInterval(ticking);
});

test("results that would be too large are rejected before they are created", async () => {
  const many = "a".repeat(100_000);
  const huge = "b".repeat(100_000);
  const replace = { text: many, search: "a", pattern: "a", replacement: huge };
  assert.equal((await failure({ ...replace, operation: "replace" })).code, "result_too_long");
  assert.equal((await failure({ ...replace, operation: "regex_replace" })).code, "result_too_long");
  assert.equal(
    (
      await failure({
        operation: "join",
        items: Array.from({ length: 500 }, () => "x"),
        separator: huge,
      })
    ).code,
    "result_too_long",
  );
});

test("encoding and then decoding returns the original text", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom("a", "é", "日", "😀", "%", "+", "\0") }),
      async (original) => {
        for (const kind of ["base64", "url"]) {
          const encoded = await call(tool, { operation: `${kind}_encode`, text: original });
          assert.equal(await call(tool, { operation: `${kind}_decode`, text: encoded }), original);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("operations on long texts do not block the event loop", async () => {
  const words = "word ".repeat(20_000);
  for (const operation of ["count", "title", "sort", "unique", "regex_find"]) {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const pattern = "(?:w|o|r|d)+ ".repeat(20);
    const result = await call(tool, { operation, text: words, pattern });
    clearInterval(timer);
    assert.ok(!isToolError(result), JSON.stringify(result));
    assert.ok(turns > 0, operation);
  }
  assert.equal(
    (await failure({ operation: "split", text: words.repeat(3), separator: "" })).code,
    "result_too_long",
  );
});

test("a pattern whose counts make it large is rejected before it is compiled", async () => {
  const { code, message } = await failure({
    operation: "regex_find",
    text: "a",
    pattern: "x{1000}".repeat(20),
  });
  assert.equal(code, "invalid_pattern");
  assert.match(message, /20000 parts.*10000 are allowed/);
});

test("matches are returned up to a total size, whatever the groups", async () => {
  const groups = 190;
  const pattern = `${"(".repeat(groups)}.+${")".repeat(groups)}`;
  const found = await call<{ readonly matches: readonly unknown[]; readonly more: boolean }>(tool, {
    operation: "regex_find",
    text: "a line\n".repeat(8_000),
    pattern,
    max: 10_000,
  });
  assert.ok(found.more && found.matches.length < 1_500, String(found.matches.length));
});
