import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRobots, robotName } from "./robots.ts";

const allows = (text: string, path: string) =>
  parseRobots(text, "capstan").allows(new URL(path, "https://example.org"));

test("the rules of the robot's own group apply, or else those for all robots", () => {
  const text = `# comment
User-agent: other
User-agent: Capstan/0.1
Disallow: /own # all of it

User-agent: *
Disallow: /all
Crawl-delay: 9

user-AGENT:capstan
disallow:/more
Crawl-delay: 2.5
Sitemap: https://example.org/map.xml`;
  assert.equal(allows(text, "/own/x"), false);
  assert.equal(allows(text, "/more"), false);
  assert.equal(allows(text, "/all"), true);
  const { delayMs, sitemaps } = parseRobots(text, "capstan");
  assert.deepEqual([delayMs, sitemaps], [2_500, ["https://example.org/map.xml"]]);
  const other = parseRobots(text, "somebody");
  assert.equal(other.allows(new URL("https://example.org/all")), false);
  assert.equal(other.delayMs, 9_000);
});

test("the longest matching pattern wins, and Allow wins over Disallow of the same length", () => {
  const text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nAllow: /same\nDisallow: /same\nDisallow:";
  assert.equal(allows(text, "/a/c"), false);
  assert.equal(allows(text, "/a/b/c"), true);
  assert.equal(allows(text, "/same"), true);
  assert.equal(allows(text, "/"), true);
});

test("patterns support * and $, and match regardless of percent-encoding", () => {
  const text =
    "User-agent: *\nDisallow: /*.pdf$\nDisallow: /x*y*z\nDisallow: /a%7eb\nDisallow: /q?id=\nDisallow: *private\nDisallow: /end$\nDisallow: /ü";
  for (const path of ["/a/b.pdf", "/x1y2z3", "/a~b", "/q?id=1", "/b/private", "/end", "/%c3%bc"])
    assert.equal(allows(text, path), false, path);
  for (const path of ["/a.pdf?x", "/xz", "/q", "/ending", "/u"])
    assert.equal(allows(text, path), true, path);
});

test("text without rules excludes nothing, and a hostile file is checked in linear time", () => {
  for (const text of ["", "<html>not found</html>", "Disallow: /", "User-agent: *\nDisallow"])
    assert.equal(allows(text, "/a"), true, text);
  const hostile = `User-agent: *\n${`Disallow: /${"a*".repeat(240)}b\n`.repeat(1_000)}`;
  const rules = parseRobots(hostile, "capstan");
  const started = performance.now();
  assert.equal(rules.allows(new URL(`https://example.org/${"a".repeat(1_000)}`)), true);
  assert.ok(performance.now() - started < 5_000);
  const long = `User-agent: *\nDisallow: /${"a".repeat(2_000)}\nAllow: /b${"a".repeat(2_000)}`;
  assert.equal(allows(long, `/${"a".repeat(600)}`), false);
});

test("the name of a robot is its product token", () => {
  assert.equal(robotName("Mozilla/5.0 (compatible; Capstan/0.1)"), "capstan");
  assert.equal(robotName("Harbour-Bot/2 (+https://example.org)"), "harbour-bot");
});
