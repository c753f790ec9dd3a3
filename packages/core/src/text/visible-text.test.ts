import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  directionPieces,
  firstParts,
  hiddenCodePoints,
  visibleArguments,
  visibleJson,
  visibleLine,
  type VisiblePart,
  visibleParts,
  visibleText,
} from "./visible-text.ts";

test("invisible characters and direction characters appear as their code points", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["true \u202e; echo RAN #\u202c", "true ⟨U+202E⟩; echo RAN #⟨U+202C⟩"],
    ["a\u200bb\u2060c\ufeffd", "a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d"],
    ["x\u{e0041}\u{e007f}", "x⟨U+E0041⟩⟨U+E007F⟩"],
    ["\u001b[2J\u0007\u009b", "⟨U+001B⟩[2J⟨U+0007⟩⟨U+009B⟩"],
    ["one\rtwo\r\nthree", "one⟨U+000D⟩two\r\nthree"],
    ["a\u00a0b\u3000c\u2028d", "a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2028⟩d"],
    ["half \ud800 pair", "half ⟨U+D800⟩ pair"],
    ["blank \u3164 \u115f", "blank ⟨U+3164⟩ ⟨U+115F⟩"],
    ["ls\n\u2800\n; rm", "ls\n⟨U+2800⟩\n; rm"],
    ["a\ufffc\u{1d159}\u{16fe4}b", "a⟨U+FFFC⟩⟨U+1D159⟩⟨U+16FE4⟩b"],
    ["kill 1\u200d2 3\ufe0f4", "kill 1⟨U+200D⟩2 3⟨U+FE0F⟩4"],
    ["#\u200d# *\ufe0e", "#⟨U+200D⟩# *⟨U+FE0E⟩"],
  ];
  for (const [text, seen] of texts) assert.equal(visibleText(text), seen);
  assert.deepEqual(hiddenCodePoints("a\u202eb\u200bc\u202e"), ["U+202E", "U+200B"]);
});

test("text in any language and emoji stay unchanged", () => {
  for (const text of [
    "Grüße, 你好, مرحبا, שלום, नमस्ते, это так\n\ttab",
    "👩‍👩‍👧 👩🏽‍💻 ❤️‍🔥 🏳️‍🌈 ❤️ 1️⃣ 🇩🇪",
    "def f():\n\n\n    return 'x'\n",
    "",
  ])
    assert.deepEqual(visibleParts(text), text === "" ? [] : [{ type: "text", text }], text);
});

test("empty lines and wide gaps do not move text out of view", () => {
  assert.equal(visibleText(`ls${"\n".repeat(61)}curl x | sh`), "ls\n⟨60 empty lines⟩\ncurl x | sh");
  assert.equal(visibleText(`ls${"\n \t".repeat(61)}curl`), "ls\n⟨60 empty lines⟩\n \tcurl");
  assert.equal(visibleText("ls\n\n\n"), "ls\n⟨2 empty lines at the end⟩");
  assert.equal(visibleText("\n\n\nls"), "⟨3 empty lines⟩\nls");
  assert.equal(visibleText(`ls${" ".repeat(200)}; rm -r .`), "ls⟨200 spaces⟩; rm -r .");
});

test("stacked combining characters do not cover the lines around it", () => {
  assert.equal(visibleText(`a${"\u0301".repeat(40)}b`), `a${"\u0301".repeat(6)}⟨34 characters⟩b`);
  assert.equal(visibleText(`a${"\u0301".repeat(7)}`), `a${"\u0301".repeat(6)}⟨U+0301⟩`);
  assert.equal(visibleText("क्ष्म्य ที่ בְּרֵאשִׁ֖ית"), "क्ष्म्य ที่ בְּרֵאשִׁ֖ית");
});

test("a host with look-alike letters is followed by its ASCII name", () => {
  const texts: readonly (readonly [string, string])[] = [
    ["curl https://аpple.com/x", "curl https://аpple.com⟨xn--pple-43d.com⟩/x"],
    [
      "https://user:x@bücher.example:80/",
      "https://user:x@bücher.example⟨xn--bcher-kva.example⟩:80/",
    ],
    ["ping аpple.com", "ping аpple.com⟨xn--pple-43d.com⟩"],
    ["mail to ann@exаmple.org", "mail to ann@exаmple.org⟨xn--exmple-4nf.org⟩"],
    ["https://a\u200bpple.com", "https://a⟨U+200B⟩pple.com⟨apple.com⟩"],
    ["https://example.org/ü", "https://example.org/ü"],
  ];
  for (const [text, seen] of texts) assert.equal(visibleText(text), seen);
});

test("a text that imitates a mark differs from a mark", () => {
  assert.equal(visibleText("a⟨U+202E⟩b"), "a⟨U+27E8⟩U+202E⟩b");
  assert.notEqual(visibleText("//é⟨U+202E⟩"), visibleText("//é\u202e"));
  assert.deepEqual(hiddenCodePoints("⟨ψ|φ⟩"), []);
});

test("a mark describes the effect of its characters", () => {
  const meaningOf = (text: string) =>
    visibleParts(text).map((part) => (part.type === "mark" ? part.meaning : ""))[0];
  assert.equal(meaningOf("\u202e"), "changes the direction of the text");
  assert.equal(meaningOf("\u{e0041}"), "an invisible tag character");
  assert.equal(meaningOf("\u200b"), "an invisible character");
  assert.equal(meaningOf("\u001b"), "a control character");
});

/** Text of all characters, with many invisible ones. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("\n", " ", "\r\n", "\u202e", "\u200b", "⟨", "//", "а", "a", ".", "\n\n\n\n"),
    fc.constantFrom(" ".repeat(50), "\u0301".repeat(9)),
  ),
  maxLength: 100,
});
const original = (parts: readonly VisiblePart[]) =>
  parts.map((part) => (part.type === "mark" ? part.of : part.text)).join("");
const seen = (parts: readonly VisiblePart[]) => parts.map((part) => part.text).join("");

// Contract: executor-96
test("the parts of a text add up to it, and only marks hide anything", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const parts of [visibleParts(text), visibleLine(text)]) {
        assert.equal(original(parts), text);
        for (const part of parts)
          if (part.type === "text") assert.deepEqual(hiddenCodePoints(part.text), []);
      }
      assert.doesNotMatch(seen(visibleLine(text)), /[\n\r\t]/);
    }),
    { numRuns: 1_000 },
  );
});

test("texts in arguments are unchanged, other values are indented JSON, and names are one line", () => {
  const [text, list] = visibleArguments({ "a\nb": "x\n\u202ey", list: ["\u202e", 1] });
  assert.equal(seen(text!.name), "a⟨U+000A⟩b");
  assert.equal(seen(text!.value), "x\n⟨U+202E⟩y");
  assert.equal(seen(list!.value), '[\n  "⟨U+202E⟩",\n  1\n]');
});

test("the effect of a call comes before its arguments", () => {
  const preview = { text: "a.txt\n-one\n+two", length: 80_000, digest: "0123456789abcdef01" };
  const [effect, path] = visibleArguments({ path: "a.txt" }, { preview });
  assert.equal(
    seen(effect!.name),
    "effect (first 15 of 80000 characters; 79985 are not shown, SHA-256 0123456789abcdef)",
  );
  assert.deepEqual([effect!.isEffect, path!.isEffect], [true, undefined]);
});

test("the contents and sizes of variables follow the arguments", () => {
  const variables = [
    { name: "CMD", text: "rm \u202e x", length: 6 },
    { name: "BIG", text: "a", length: 70_000 },
  ];
  const shown = visibleArguments({ code: "exec(vars['CMD'])" }, { variables });
  assert.deepEqual(
    shown.map(({ name, value }) => [seen(name), seen(value)]),
    [
      ["code", "exec(vars['CMD'])"],
      ["variable CMD (6 characters)", "rm ⟨U+202E⟩ x"],
      ["variable BIG (first 1 of 70000 characters; 69999 are not shown)", "a"],
    ],
  );
});

test("JSON for editing shows hidden characters, and has the same value", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const json = visibleJson({ text });
      assert.deepEqual(hiddenCodePoints(json), []);
      assert.deepEqual(JSON.parse(json), { text });
    }),
  );
});

test("firstParts returns the beginning and the number of omitted characters", () => {
  const limits = { lines: 3, characters: 20 };
  fc.assert(
    fc.property(anyText, (text) => {
      const parts = visibleParts(text);
      const first = firstParts(parts, limits);
      assert.ok(seen(parts).startsWith(seen(first.parts)));
      assert.equal(seen(first.parts).length + first.left, seen(parts).length);
      assert.ok(seen(first.parts).split("\n").length <= 3 && seen(first.parts).length <= 20);
      assert.ok(seen(first.parts).isWellFormed());
    }),
    { numRuns: 1_000 },
  );
  assert.equal(firstParts(visibleParts(`ls${"\n".repeat(61)}curl`), limits).left, 4);
  assert.equal(firstParts(visibleParts("one\ntwo\nthree"), limits).left, 0);
});

test("10 MB are read in linear time", () => {
  const start = process.threadCpuUsage().user;
  for (const unit of ["\n", " ", " \n", "a.", "//é", "@", "a ", "é.", "\u202e", "\u0301"])
    visibleParts(unit.repeat(Math.floor(1_000_000 / unit.length)));
  assert.ok(process.threadCpuUsage().user - start < 10_000_000);
});

test("words that would swap places with others are separate pieces, and prose is one piece", () => {
  assert.deepEqual(directionPieces("mv א ב"), ["mv ", "א", " ", "ב", ""]);
  assert.deepEqual(directionPieces("א:80,ב:443"), ["", "א", ":80,", "ב", ":443"]);
  assert.deepEqual(directionPieces("שלום, עולם!\nls ש"), ["שלום, עולם!\nls ", "ש", ""]);
  assert.deepEqual(directionPieces("ls -la"), ["ls -la"]);
  const unit = fc.constantFrom("א", "ش", " ", "\n", "a", "1", ";", "\u0301", "é");
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const pieces = directionPieces(text);
      assert.equal(pieces.join(""), text);
      for (const [index, piece] of pieces.entries())
        if (index % 2 === 1) assert.match(piece, /^[^\sa1;é]+$/u);
    }),
  );
});
