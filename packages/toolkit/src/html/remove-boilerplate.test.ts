import assert from "node:assert/strict";
import { test } from "node:test";
import { htmlToMarkdown, type MarkdownOptions } from "./html-to-markdown.ts";

const markdownOf = (html: string, options?: MarkdownOptions) =>
  htmlToMarkdown(`<html><body>${html}</body></html>`, "https://example.org/", options).markdown;

const page = `
<header><a href="/">Logo</a><h1>Title</h1></header><nav>Menu</nav>
<div id="onetrust-banner-sdk">We value your privacy</div>
<div class="site-cookie-banner"><p>We use cookies.</p><button>Accept</button></div>
<div role="dialog" aria-modal="true">Subscribe</div>
<main><section><header>Lead</header><p>The text.</p></section><footer>By Ann</footer></main>
<footer>Imprint</footer>`;

test("navigation, headers, footers and cookie banners are omitted", () => {
  assert.equal(markdownOf(page, { part: "content" }), "# Title\n\nLead\n\nThe text.");
  const article = markdownOf(page);
  assert.match(article, /The text\./);
  assert.doesNotMatch(article, /Logo|Menu|privacy|cookies|Subscribe|Imprint/);
});

test("the whole page keeps them, without scripts", () => {
  const whole = markdownOf(`${page}<script>run()</script>`, { part: "everything" });
  for (const text of ["Logo", "Menu", "privacy", "cookies", "Subscribe", "The text.", "Imprint"])
    assert.ok(whole.includes(text), text);
  assert.doesNotMatch(whole, /run/);
});

test("content stays, whatever its element or its name", () => {
  const recipe = `<p>${"Bake the cookies. ".repeat(300)}</p>`;
  for (const html of [
    `<form id="aspnetForm"><h1>Page</h1><p>The text.</p></form>`,
    `<div class="cookie-consent-page"><h1>Cookie law</h1><p>The text.</p></div>`,
    `<div aria-hidden="true"><main><p>The text.</p></main></div>`,
    `<div class="cookie-box">${recipe}<p>The text.</p></div>`,
  ])
    assert.match(markdownOf(html, { part: "content" }), /The text\./, html.slice(0, 50));
});

test("links and images can be shown without their addresses", () => {
  const html = `<p><a href="/a">A <b>link</b></a> <img src="/i.png" alt="Map"> ${"and more text ".repeat(50)}</p>`;
  const plain = markdownOf(html, { addresses: false });
  assert.match(plain, /^A \*\*link\*\* Map and/);
  assert.match(markdownOf(html), /\[A \*\*link\*\*\]\(https:\/\/example\.org\/a\)/);
});

test("links are listed once, without fragments and those marked nofollow", () => {
  const html = `<a href="/a#1">1</a><a href="/a#2">2</a><a rel="nofollow" href="/b">3</a><a href="mailto:a@b">4</a><nav><a href="c">5</a></nav>`;
  const { links } = htmlToMarkdown(html, "https://example.org/d/", { listLinks: true });
  assert.deepEqual(links, ["https://example.org/a", "https://example.org/d/c"]);
  const closed = `<html><head><meta name="ROBOTS" content="noindex, nofollow"></head><body>${html}</body></html>`;
  const none = htmlToMarkdown(closed, "https://example.org/", { listLinks: true });
  assert.deepEqual(none.links, []);
});
