import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSitemap } from "./sitemap.ts";

test("a sitemap lists pages or sitemaps, in XML or as text", () => {
  assert.deepEqual(
    parseSitemap(
      "<urlset><url><loc> https://a.example/?a=1&amp;b=2\n</loc></url><url><loc>https://a.example/2</loc></url></urlset>",
    ),
    { type: "pages", urls: ["https://a.example/?a=1&b=2", "https://a.example/2"] },
  );
  assert.deepEqual(
    parseSitemap(
      '<?xml version="1.0"?><sitemapindex xmlns="x"><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>',
    ),
    { type: "sitemaps", urls: ["/s.xml"] },
  );
  assert.deepEqual(parseSitemap("https://a.example/1\n\nnot one\nhttps://a.example/2\n").urls, [
    "https://a.example/1",
    "https://a.example/2",
  ]);
  assert.deepEqual(parseSitemap("<html></html>").urls, []);
});

test("a sitemap has at most 5,000 addresses", () => {
  const text = `<urlset>${"<url><loc>https://a.example/</loc></url>".repeat(6_000)}</urlset>`;
  assert.equal(parseSitemap(text).urls.length, 5_000);
});

test("a sitemap with many spaces is parsed in linear time", () => {
  const began = process.cpuUsage();
  const text = `https://a.example/1${" ".repeat(200_000)}\n${" ".repeat(200_000)}x`;
  assert.deepEqual(parseSitemap(text).urls, ["https://a.example/1"]);
  assert.ok(process.cpuUsage(began).user < 10_000_000);
});
