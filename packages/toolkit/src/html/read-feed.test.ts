import assert from "node:assert/strict";
import { test } from "node:test";
import { mayBeFeed } from "./may-be-feed.ts";
import { readFeed } from "./read-feed.ts";

const rss = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Harbour &amp; news</title>
<description>All of it</description><link>https://example.org/</link>
<item><title><![CDATA[Tides <b>rise</b>]]></title><link>/tides</link><pubDate>Sun, 01 Mar 2026 10:00:00 GMT</pubDate>
<dc:creator>Ann</dc:creator><description>&lt;p&gt;Springs &amp;amp; neaps&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</description></item>
<item><guid>https://example.org/2</guid><title>Two</title></item>
<item><guid isPermaLink="false">tag:3</guid><link>javascript:alert(1)</link></item></channel></rss>`;

test("RSS: entries have titles, addresses, dates, authors and summaries without markup", () => {
  assert.deepEqual(readFeed(rss, "https://example.org/feed"), {
    title: "Harbour & news",
    description: "All of it",
    entries: [
      {
        title: "Tides rise",
        url: "https://example.org/tides",
        published: "2026-03-01T10:00:00.000Z",
        author: "Ann",
        summary: "Springs & neaps",
      },
      { title: "Two", url: "https://example.org/2" },
      { title: "" },
    ],
    total: 3,
  });
});

test("RSS 1.0: items next to the channel are entries", () => {
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><title>Old</title></channel>
<item><title>One</title><link>https://a.example/1</link></item></rdf:RDF>`;
  const feed = readFeed(rdf, "https://a.example/");
  assert.deepEqual(
    [feed?.title, feed?.entries],
    ["Old", [{ title: "One", url: "https://a.example/1" }]],
  );
});

test("Atom: the alternate link, the updated date and the author's name are used", () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Releases</title><subtitle>New</subtitle>
<entry><title type="html">v2 &amp;amp; more</title><link rel="edit" href="/edit"/><link href="/v2"/><updated>2026-02-01T00:00:00Z</updated>
<author><name>Bo</name><email>bo@example.org</email></author><summary>Faster</summary></entry></feed>`;
  assert.deepEqual(readFeed(atom, "https://example.org/atom.xml"), {
    title: "Releases",
    description: "New",
    entries: [
      {
        title: "v2 & more",
        url: "https://example.org/v2",
        published: "2026-02-01T00:00:00.000Z",
        author: "Bo",
        summary: "Faster",
      },
    ],
    total: 1,
  });
});

test("JSON Feed: both forms of authors are read", () => {
  const feed = readFeed(
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "Notes",
      items: [
        { id: "1", url: "/1", title: "One", authors: [{ name: "Cy" }, { name: "Di" }] },
        { id: "2", content_html: "<p>Two</p>", author: { name: "Ed" }, date_published: "x" },
        null,
      ],
    }),
    "https://example.org/feed.json",
  );
  assert.deepEqual(feed?.entries, [
    { title: "One", url: "https://example.org/1", author: "Cy, Di" },
    { title: "", published: "x", author: "Ed", summary: "Two" },
    { title: "" },
  ]);
});

test("other XML and JSON are not feeds", () => {
  for (const text of ["<a/>", "", "{}", "{", '{"items": []}', "<html></html>", "no markup"])
    assert.equal(readFeed(text, "https://example.org/"), undefined, text);
  assert.equal(mayBeFeed(rss, "text/xml"), true);
  assert.equal(mayBeFeed("<svg/>", "image/svg+xml"), false);
  assert.equal(mayBeFeed("", "application/atom+xml"), true);
});

test("a feed has at most 100 entries with summaries of 600 characters, and counts all entries", () => {
  const item = `<item><description>${"word ".repeat(1_000)}</description></item>`;
  const feed = readFeed(`<rss><channel>${item.repeat(150)}</channel></rss>`, "https://a.example/");
  assert.equal(feed?.entries.length, 100);
  assert.equal(feed.total, 150);
  assert.equal(feed.entries[0]?.summary?.length, 600);
});
