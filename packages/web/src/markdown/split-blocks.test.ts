import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { extendBlocks, noBlocks } from "./split-blocks.ts";

const answer = `# Title

A paragraph with **bold** and a [link](https://example.org),
on two lines.

- one
- two

  still two

- three

1. first

2. second

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|--:|
| 1 | 2 |

> quoted

The end.
`;

function html(parts: readonly string[]): string {
  let blocks = noBlocks;
  let text = "";
  for (const part of parts) blocks = extendBlocks(blocks, (text += part));
  return [...blocks.settled, ...blocks.tail].join("");
}

test("a streamed text gives the same blocks as the whole text, wherever it is split", () => {
  const whole = html([answer]);
  assert.match(whole, /<h1>Title<\/h1>/);
  fc.assert(
    fc.property(fc.array(fc.nat(answer.length), { maxLength: 60 }), (cuts) => {
      const points = [0, ...cuts.toSorted((a, b) => a - b), answer.length];
      assert.equal(
        html(points.slice(1).map((to, index) => answer.slice(points[index], to))),
        whole,
      );
    }),
  );
});

test("any text is parsed completely", () => {
  const words = fc.constantFrom(
    "a",
    "*",
    "- ",
    "\n",
    "\n\n",
    "\r\n",
    "`",
    "```\n",
    "<b>",
    "|",
    "\t",
    "&",
    "#",
    "> ",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
      let blocks = noBlocks;
      let text = "";
      for (const part of parts) blocks = extendBlocks(blocks, (text += part));
      assert.ok(blocks.settledLength <= blocks.text.length);
    }),
  );
});

test("a definition applies to later links", () => {
  const text = "[docs]: https://example.org/docs\n\none\n\ntwo\n\nthree\n\nSee [docs].";
  assert.match(html([text.slice(0, 45), text.slice(45)]), /href="https:\/\/example\.org\/docs"/);
});

test("formatting tags lose their attributes, all other HTML becomes text", () => {
  const shown = html([
    "H<sub>2</sub>O <br> <b onclick=x>no</b>\n\n<details><summary>more</summary><script>x</script></details>",
  ]);
  assert.match(shown, /H<sub>2<\/sub>O <br>/);
  assert.match(shown, /&lt;b onclick=x&gt;no<\/b>/);
  assert.match(
    shown,
    /<details><summary>more<\/summary>&lt;script&gt;x&lt;\/script&gt;<\/details>/,
  );
});

test("a replaced text is parsed from the start", () => {
  const first = extendBlocks(noBlocks, "one\n\ntwo\n\nthree");
  assert.deepEqual(extendBlocks(first, "other").tail, ["<p>other</p>\n"]);
  assert.deepEqual(extendBlocks(first, "other").settled, []);
});

test("a delta does not cause a long answer to be parsed again", () => {
  const paragraph = "word ".repeat(20) + "\n\n";
  let blocks = extendBlocks(noBlocks, paragraph.repeat(3000));
  const started = performance.now();
  for (let count = 0; count < 500; count++) blocks = extendBlocks(blocks, blocks.text + "more ");
  assert.ok(performance.now() - started < 10_000);
});
