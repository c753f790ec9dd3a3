import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { type ContentParts, isToolError, type ToolErrorData } from "@capstan/core";
import { call, callForText, toolOf } from "@capstan/core/testing";
import { startWebSite, type WebSite } from "./testing/web-site.ts";
import { webTools } from "./web-tools.ts";

let site: WebSite;
before(async () => {
  site = await startWebSite();
});
after(() => site.close());

const tool = () => toolOf(webTools({ allowPrivateHosts: [site.host] }), "FetchWebPage");

async function failure(args: object): Promise<ToolErrorData> {
  const result = await call(tool(), { ...args });
  assert.ok(isToolError(result), JSON.stringify(result).slice(0, 300));
  return result;
}

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test("a picture is returned as an image part, whatever its declared type", async () => {
  for (const [path, type] of [
    ["/p.png", "image/png"],
    ["/p", "text/html"],
    ["/raw", "application/octet-stream"],
  ] as const) {
    const url = site.serve(path, type, png);
    const { parts } = await call<ContentParts>(tool(), { url });
    assert.deepEqual(parts, [
      { type: "text", text: `Source: ${url}\nimage/png, ${png.length} bytes` },
      {
        type: "image",
        mimeType: "image/png",
        source: { type: "base64", data: png.toString("base64") },
      },
    ]);
  }
});

test("a picture that is too large, broken or searched is an error", async () => {
  const large = Buffer.concat([png, Buffer.alloc(6 * 1024 * 1024)]);
  const url = site.serve("/large.png", "image/png", large);
  assert.equal((await failure({ url })).code, "picture_too_large");
  const html = site.serve("/no.png", "image/png", "<html>Not found</html>");
  assert.equal((await failure({ url: html })).code, "unsupported_type");
  const small = site.serve("/small.png", "image/png", png);
  assert.equal((await failure({ url: small, find: "x" })).code, "no_text");
});

test("a feed is read as its entries, and as its source if the whole page is asked for", async () => {
  const rss = `<rss><channel><title>News</title><item><title>One</title><link>/1</link><description>First</description></item></channel></rss>`;
  for (const type of ["application/rss+xml", "text/xml; charset=utf-8"]) {
    const url = site.serve("/feed", type, rss);
    const result = await call<{ feed: { entries: unknown } }>(tool(), { url });
    const entry = { title: "One", url: `http://${site.host}/1`, summary: "First" };
    assert.deepEqual(result.feed.entries, [entry]);
    assert.equal(
      await callForText(tool(), { url }),
      `# News\nSource: ${url}\n\nA feed with 1 entry:\n\n1. One\n   http://${site.host}/1\n   First`,
    );
    assert.ok((await callForText(tool(), { url, whole: true })).endsWith(rss));
  }
});

test("XML and JSON that only look like a feed stay unchanged", async () => {
  for (const [type, body] of [
    ["application/rss+xml", "<a>b</a>"],
    ["application/feed+json", '{"items": 1}'],
    ["application/rss+xml", "broken <"],
  ] as const) {
    const url = site.serve("/odd", type, body);
    assert.ok((await callForText(tool(), { url })).endsWith(`\n\n${body}`), body);
  }
});

test("a document that is sent with the type of a page is read as a document", async () => {
  const pdf = await readFile(new URL("../documents/testing/fixtures/report.pdf", import.meta.url));
  const url = site.serve("/report", "text/html", pdf);
  assert.match(await callForText(tool(), { url }), /The harbour has three basins/);
});

test("a page is read without its navigation, and whole on request, without another request", async () => {
  const html = `<html><body><nav>Menu</nav><div class="cookie-banner">Accept cookies</div><main><p>The text.</p></main></body></html>`;
  const url = site.serve("/site", "text/html", html);
  const reader = tool();
  const text = await callForText(reader, { url });
  assert.ok(text.endsWith("\n\nThe text."), text);
  const whole = await callForText(reader, { url, whole: true, page: 1 });
  assert.match(whole, /Menu[^]*Accept cookies[^]*The text\./);
  assert.equal(site.requests.filter((path) => path === "/site").length, 1);
});

test("addresses of links are omitted on request", async () => {
  const url = site.serve("/links", "text/html", `<main><p><a href="/x">A link</a></p></main>`);
  assert.match(await callForText(tool(), { url }), /\[A link\]\(http/);
  assert.ok((await callForText(tool(), { url, links: false })).endsWith("\n\nA link"));
});
