import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { plainStyle, type Style } from "../terminal/style.ts";
import { createMarkdownStream } from "./markdown-stream.ts";

/** Shows formatting as tags. */
const tags: Style = Object.fromEntries(
  Object.keys(plainStyle).map((name) => [name, (text: string) => `<${name}>${text}</${name}>`]),
) as unknown as Style;

function format(pieces: readonly string[], style: Style = tags, columns = 80): string {
  const stream = createMarkdownStream({ style, columns: () => columns });
  const shown = pieces.map((piece) => stream.write(piece)).join("") + stream.end();
  return shown.replaceAll("</bold><bold>", "");
}

const examples: readonly { readonly markdown: string; readonly shown: string }[] = [
  { markdown: "# A *title*\n", shown: "<bold>A </bold><italic>title</italic>\n" },
  { markdown: "**bold** and `code`", shown: "<bold>bold</bold> and <cyan>code</cyan>" },
  { markdown: "2 * 3 * 4, a_b_c, **not closed", shown: "2 * 3 * 4, a_b_c, **not closed" },
  { markdown: "``a ` b``, \\*plain\\*", shown: "<cyan>a ` b</cyan>, *plain*" },
  { markdown: "- one\n  * two\n- [x] done\n1. first", shown: "• one\n  • two\n☑ done\n1. first" },
  { markdown: "> said\n", shown: "<dim>│ </dim>said\n" },
  {
    markdown: "[Docs](https://example.org/a_(b)) and <https://example.org>",
    shown: "Docs <dim>(https://example.org/a_(b))</dim> and <https://example.org>",
  },
  { markdown: "a [note] and [x", shown: "a [note] and [x" },
  {
    markdown: "```js\nconst a = **1**;\n```\nEnd",
    shown: "<dim>╭ js</dim>\n<dim>│</dim> <cyan>const a = **1**;</cyan>\n<dim>╰</dim>\nEnd",
  },
];

test("markup is formatted, and what only looks like markup stays text", () => {
  for (const { markdown, shown } of examples) assert.equal(format([markdown]), shown);
});

test("a table is shown in columns of their display width", () => {
  const table = "| City | People |\n|:--|--:|\n| Köln | 1 |\n| 東京 | **14** |\n\nEnd";
  assert.equal(
    format([table], plainStyle),
    "City │ People\n─────┼───────\nKöln │      1\n東京 │     14\n\nEnd",
  );
  assert.equal(format(["| a | b |\n| c | d |\n"], plainStyle), "| a | b |\n| c | d |\n");
  const wide = "| A long heading | another |\n|---|---|\n";
  assert.equal(format([wide], plainStyle, 20), wide);
});

test("plain words are shown before their line ends", () => {
  const stream = createMarkdownStream({ style: tags, columns: () => 80 });
  assert.equal(stream.write("The "), "The ");
  assert.equal(stream.write("answer is **fo"), "answer is ");
  assert.equal(stream.write("ur**"), "<bold>four</bold>");
  assert.equal(stream.end(), "");
});

const markup = fc.constantFrom(
  "*",
  "**",
  "_",
  "`",
  "```",
  "\n",
  "- ",
  "# ",
  "> ",
  "|",
  "|--|",
  "[",
);
const piece = fc.oneof(
  markup,
  fc.constantFrom("](u)", "\\", " ", "a", "bc", "1.", "[x] ", "é", "!"),
);

test("the text does not depend on how it is split", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }),
      fc.array(fc.nat(80), { maxLength: 8 }),
      (parts, cuts) => {
        const text = parts.join("");
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b),
        ];
        const pieces = places.map((place, index) => text.slice(place, places[index + 1]));
        assert.equal(format(pieces), format([text]));
      },
    ),
  );
});

test("no letter or number is lost", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
      const letters = (text: string) => text.replaceAll(/[^a-z0-9é]/g, "");
      const text = parts.join("").replaceAll(/\[x\] /g, "");
      assert.equal(letters(format([text], plainStyle)), letters(text));
    }),
  );
});
