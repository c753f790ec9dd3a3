import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeBody, pageType } from "./decode-body.ts";
import { htmlToMarkdown } from "../html/html-to-markdown.ts";
import { stripTags } from "../html/strip-tags.ts";

const article = `<!doctype html><html><head><title>T | Site</title><base href="/docs/"></head><body>
<nav><a href="/menu">Menu</a></nav><article><h1>Heading</h1>
${`<p>Some text that is long enough to be an article, with <a href="page?x=1#y">a link</a> and <b>bold</b>. ${"Word ".repeat(60)}</p>`.repeat(4)}
<pre><code>let x = 1;\n  if (x) y();</code></pre>
<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<p><a href="javascript:alert(1)">bad</a> <img src="pic.png" alt="A picture"> <img src="data:image/png;base64,AAAA" alt="inline"></p>
<script>evil()</script></article><footer>Foot</footer></body></html>`;

test("an article becomes Markdown with absolute links, without navigation and footer", () => {
  const page = htmlToMarkdown(article, "https://example.org/a/b");
  assert.match(page.title!, /^T/);
  assert.match(page.markdown, /\[a link\]\(https:\/\/example\.org\/docs\/page\?x=1#y\)/);
  assert.match(page.markdown, /\*\*bold\*\*/);
  assert.match(page.markdown, /```\nlet x = 1;\n {2}if \(x\) y\(\);\n```/);
  assert.match(page.markdown, /\| A \| B \|\n\| --- \| --- \|\n\| 1 \| 2 \|/);
  assert.match(page.markdown, /!\[A picture\]\(https:\/\/example\.org\/docs\/pic\.png\)/);
  assert.doesNotMatch(page.markdown, /javascript:|base64|evil|Menu|Foot/);
});

test("a page without an article keeps its lists and links", () => {
  const items = Array.from(
    { length: 30 },
    (_, i) => `<li><a href="/${i}">Item number ${i}</a></li>`,
  ).join("");
  const page = htmlToMarkdown(
    `<title>List</title><h1>All</h1><ul>${items}</ul>`,
    "https://example.org/",
  );
  assert.match(page.markdown, /Item number 0\]\(https:\/\/example\.org\/0\)/);
  assert.match(page.markdown, /Item number 29/);
  assert.equal(page.title, "List");
  assert.doesNotMatch(page.markdown, /List/);
});

test("the charset is that of the byte order mark, the header or the page, in this order, or UTF-8", () => {
  const latin = Buffer.from("<meta charset='windows-1252'>caf\xe9", "latin1");
  assert.match(decodeBody(latin, "text/html"), /café/);
  assert.match(decodeBody(latin, "text/html; charset=iso-8859-2"), /café/);
  assert.equal(decodeBody(Buffer.from("\uFEFFé"), "text/html; charset=iso-8859-1"), "é");
  assert.equal(decodeBody(Buffer.from("é"), "text/html; charset=no-such"), "é");
  const shift = Uint8Array.of(0x93, 0xfa, 0x96, 0x7b);
  assert.equal(decodeBody(shift, 'text/plain; charset="Shift_JIS"'), "日本");
});

test("types are read from the header, or from the beginning if there is no header", () => {
  const bytes = (text: string) => Buffer.from(text);
  assert.equal(pageType("text/html; charset=utf-8", bytes("")), "html");
  assert.equal(pageType("application/ld+json", bytes("")), "text");
  assert.equal(pageType("image/png", bytes("")), "refused");
  assert.equal(pageType("", bytes("  <!DOCTYPE html>")), "html");
  assert.equal(pageType("", bytes("hello")), "text");
  assert.equal(pageType("", bytes("a\0b")), "refused");
});

test("text without markup keeps words and lines, and drops scripts and comments", () => {
  assert.equal(
    stripTags(
      "<p>A &amp; B&#33;&#x1F600;</p><!-- > no --><SCRIPT>x < 1</script ><div>C &bogus; <b>d</b></div>",
    ),
    "A & B!😀\nC &bogus; d",
  );
});

test("removing markup is fast and safe for any page", () => {
  const started = performance.now();
  for (const hostile of ["<script>", "<!--", "<", "<p ", "&#x110000;", "<svg><svg>"])
    stripTags(hostile.repeat(200_000));
  assert.ok(performance.now() - started < 10_000);
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."<>/!-p&#x;1 sscript".split("")) }),
      (html) => {
        assert.equal(typeof stripTags(html), "string");
      },
    ),
  );
});
