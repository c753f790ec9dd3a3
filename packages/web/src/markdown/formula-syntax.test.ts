import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Marked } from "marked";
import { formulaSyntax } from "./formula-syntax.ts";
import { extendBlocks, noBlocks } from "./split-blocks.ts";

const marked = new Marked({ gfm: true }, formulaSyntax());

/** Returns the formulas in a text. Display formulas begin with `=`. */
function formulas(text: string): string[] {
  const html = marked.parse(text, { async: false });
  return [...html.matchAll(/<code class="language-formula(-display)?">([^<]*)</g)].map(
    ([, display, tex = ""]) => (display === undefined ? tex : `=${tex}`),
  );
}

const forms = [
  ["$x_1 * y_2 * z$", ["x_1 * y_2 * z"]],
  [String.raw`so \(a_1 \ne b\) and \[c\]`, [String.raw`a_1 \ne b`, "=c"]],
  ["$$\na\n- b\n+ c\n$$", ["=a\n- b\n+ c"]],
  ["text:\n\\[\nx^2\n\\]\nmore", ["=x^2"]],
  ["$$x$$, where", ["=x"]],
  ["a < b: $a<b$", ["a&lt;b"]],
  ["- item $x$\n- $$y$$", ["x", "=y"]],
  ["| a |\n|---|\n| $x$ |", ["x"]],
] as const;

for (const [text, expected] of forms)
  test(`reads the formulas of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(formulas(text), expected);
  });

const plain = [
  "It costs $5 and $10.",
  "from $5-$10",
  "a $ b $ c",
  String.raw`\$5 and \$6`,
  "`$x$` and `\\(y\\)`",
  "```\n$$x$$\n```",
  "$$",
  "$x\n\ny$",
];

for (const text of plain)
  test(`reads no formula in ${JSON.stringify(text)}`, () => {
    assert.deepEqual(formulas(text), []);
  });

test("a streamed formula gives the same blocks as the whole text, wherever it is split", () => {
  const text =
    "Sum:\n\n$$\n\\begin{aligned}\na &= b \\\\\n- c\n+ d\n- e\n\\end{aligned}\n$$\n\nand $x_1$ of $5.\n\n\\[\nz\n\\]\n\nend";
  const html = (parts: readonly string[]) => {
    let blocks = noBlocks;
    let read = "";
    for (const part of parts) blocks = extendBlocks(blocks, (read += part));
    return [...blocks.settled, ...blocks.tail].join("");
  };
  const whole = html([text]);
  assert.equal(whole.match(/formula-display/g)?.length, 2);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 60 }), (cuts) => {
      const points = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const parts = points.slice(1).map((to, index) => text.slice(points[index], to));
      assert.equal(html(parts), whole);
    }),
  );
});

test("a long text of dollar signs is parsed in linear time", () => {
  const started = performance.now();
  marked.parse("$a ".repeat(100_000), { async: false });
  assert.ok(performance.now() - started < 10_000);
});
