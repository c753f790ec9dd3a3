import assert from "node:assert/strict";
import { test } from "node:test";
import { Marked } from "marked";
import { footnoteSyntax } from "./footnote-syntax.ts";

const html = (text: string) => new Marked(footnoteSyntax()).parse(text, { async: false });

test("references and footnotes show their label", () => {
  assert.equal(html("Rope[^1] and sail[^b]."), "<p>Rope<sup>1</sup> and sail<sup>b</sup>.</p>\n");
  assert.equal(
    html("[^1]: A *note*.\n[^b]: https"),
    "<p><sup>1</sup> A <em>note</em>.</p>\n<p><sup>b</sup> https</p>\n",
  );
  assert.equal(html("Text[^1]\n[^1]: Note"), "<p>Text<sup>1</sup></p>\n<p><sup>1</sup> Note</p>\n");
});

test("other brackets stay text, labels are escaped, and long texts are parsed in linear time", () => {
  for (const text of ["[^]", "[^a b]", "`[^1]`", `[^${"x".repeat(41)}]`])
    assert.doesNotMatch(html(text), /<sup>/, text);
  assert.equal(html("a[^<b>]"), "<p>a<sup>&lt;b&gt;</sup></p>\n");
  assert.ok(html("[^".repeat(20_000)).length > 20_000);
});
