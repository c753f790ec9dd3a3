import assert from "node:assert/strict";
import { test } from "node:test";
import { type ArgumentConditions, conditionsHold, conditionsText } from "./argument-conditions.ts";

type Case = readonly [
  what: string,
  when: ArgumentConditions,
  args: { readonly [name: string]: unknown },
  holds: boolean,
];
const cases: readonly Case[] = [
  ["a text without operator is a path", { path: "docs/*" }, { path: "./docs/a.md" }, true],
  ["a number without operator is exact", { n: 3 }, { n: 3 }, true],
  ["a number does not equal its text", { n: 3 }, { n: "3" }, false],
  ["null is exact", { n: null }, { n: null }, true],
  [
    "equals compares JSON, regardless of the order of keys",
    { o: { equals: { a: 1, b: [2] } } },
    { o: { b: [2], a: 1 } },
    true,
  ],
  ["an exact value matches every element of a list", { n: 3 }, { n: [3, 3] }, true],
  ["a list is compared as a whole", { l: { equals: [1, 2] } }, { l: [1, 2] }, true],
  ["not this list", { l: { not: { equals: [1, 2] } } }, { l: [1, 2] }, false],
  [
    "site, with or without a final dot of its host",
    { url: { site: "https://a.org" } },
    { url: "https://a.org./" },
    true,
  ],
  [
    "site with a port and a final dot",
    { url: { site: "https://a.org:81" } },
    { url: "https://a.org.:81/" },
    true,
  ],
  ["equals compares text literally", { path: { equals: "a" } }, { path: "./a" }, false],
  ["glob matches slashes", { cmd: { glob: "rm *" } }, { cmd: "rm -rf /a/b" }, true],
  ["prefix", { cmd: { prefix: "git " } }, { cmd: "git push" }, true],
  [
    "host, in any case and with or without a final dot",
    { url: { host: "example.org" } },
    { url: "https://EXAMPLE.org./x" },
    true,
  ],
  [
    "host in the URL's own spelling",
    { url: { host: "münchen.de" } },
    { url: "https://xn--mnchen-3ya.de/" },
    true,
  ],
  [
    "a host with any port",
    { url: { host: "example.org" } },
    { url: "http://example.org:8080/" },
    true,
  ],
  [
    "a host with its port",
    { url: { host: "example.org:443" } },
    { url: "https://example.org/" },
    true,
  ],
  [
    "a host with another port",
    { url: { host: "example.org:8080" } },
    { url: "https://example.org/" },
    false,
  ],
  ["hosts below", { url: { host: "*.example.org" } }, { url: "https://a.b.example.org/" }, true],
  [
    "subdomains do not match the host",
    { url: { host: "*.example.org" } },
    { url: "https://example.org/" },
    false,
  ],
  [
    "subdomains end at a dot",
    { url: { host: "*.example.org" } },
    { url: "https://badexample.org/" },
    false,
  ],
  ["site", { url: { site: "https://example.org" } }, { url: "https://example.org:443/x" }, true],
  [
    "site with its scheme",
    { url: { site: "https://example.org" } },
    { url: "http://example.org/" },
    false,
  ],
  [
    "text that is not a URL is on no host",
    { url: { host: "example.org" } },
    { url: "example.org" },
    false,
  ],
  ["bounds", { n: { min: 1, max: 5 } }, { n: 5 }, true],
  ["out of bounds", { n: { min: 1, max: 5 } }, { n: 6 }, false],
  ["a bound matches only numbers", { n: { min: 1 } }, { n: "5" }, false],
  ["an omitted argument matches no operator", { path: "**" }, {}, false],
  ["not requires that the argument is given", { path: { not: "docs/**" } }, {}, false],
  ["not", { path: { not: "docs/**" } }, { path: "secrets/a" }, true],
  ["not fails if the condition matches", { path: { not: "docs/**" } }, { path: "docs/a" }, false],
  ["given", { force: { exists: true } }, { force: false }, true],
  ["not given", { force: { exists: false } }, {}, true],
  ["given after all", { force: { exists: false } }, { force: null }, false],
  ["all conditions must match", { a: 1, b: 2 }, { a: 1, b: 3 }, false],
  ["a pointer", { "/options/depth": { max: 3 } }, { options: { depth: 2 } }, true],
  ["a pointer with escapes", { "/a~1b": 1 }, { "a/b": 1 }, true],
  [
    "a property that every object inherits is not an argument",
    { constructor: { exists: true } },
    {},
    false,
  ],
];
for (const [what, when, args, holds] of cases)
  test(`condition: ${what}`, () => {
    assert.equal(conditionsHold(when, args, "some"), holds);
    assert.equal(conditionsHold(when, args, "every"), holds);
  });

test("to allow a call, every element of a list must match; to ask or deny, at least one", () => {
  const args = { paths: ["docs/a", "secrets/b"], edits: [{ path: "docs/a" }, { path: "x" }] };
  for (const when of [{ paths: "docs/**" }, { "/edits/*/path": "docs/**" }]) {
    assert.equal(conditionsHold(when, args, "every"), false);
    assert.equal(conditionsHold(when, args, "some"), true);
  }
  assert.equal(conditionsHold({ paths: "**" }, args, "every"), true);
  assert.equal(conditionsHold({ paths: "**" }, { paths: [] }, "every"), false);
});

test("an element that lacks the argument is not allowed", () => {
  const args = { edits: [{ path: "docs/a" }, { target: "secrets/b" }] };
  assert.equal(conditionsHold({ "/edits/*/path": "docs/**" }, args, "every"), false);
  assert.equal(conditionsHold({ "/edits/*/path": "docs/**" }, args, "some"), true);
});

// Contract: executor-220
test("conditions are described in words", () => {
  assert.equal(
    conditionsText({ path: "docs/**", url: { host: "a.org" }, n: { min: 1, not: 3 }, x: true }),
    "path matches docs/** and url is on the host a.org and n is at least 1 and not (is exactly 3) and x is exactly true",
  );
});

test("a denied value, also an exact one, is denied in lists of any depth", () => {
  const denied = (when: ArgumentConditions, value: unknown) =>
    conditionsHold(when, { p: value }, "some");
  assert.equal(denied({ p: "secrets/**" }, [["a"], [["secrets/key"]]]), true);
  assert.equal(denied({ p: 5 }, [4, 5]), true);
  assert.equal(denied({ p: { equals: "x" } }, ["x"]), true);
  assert.equal(denied({ p: { equals: "x" } }, []), false);
  assert.equal(conditionsHold({ p: 5 }, { p: [4, 5] }, "every"), false);
});

test("a path in another letter case matches rules that ask or deny, and none that allow", () => {
  const secrets = { path: "secrets/**" };
  const elsewhere = { path: { not: { path: "secrets/**" } } };
  for (const path of ["SECRETS/a", "Secrets/A", "./x/../sEcrets/a"]) {
    assert.equal(conditionsHold(secrets, { path }, "some"), true, path);
    assert.equal(conditionsHold(secrets, { path }, "every"), false, path);
    // URLs outside the site. Ambiguous URLs match conditions that deny, and none that allow.
    assert.equal(conditionsHold(elsewhere, { path }, "some"), true, path);
    assert.equal(conditionsHold(elsewhere, { path }, "every"), false, path);
  }
  const composed = { path: "caf\u00e9/**" };
  assert.equal(conditionsHold(composed, { path: "CAFE\u0301/a" }, "some"), true);
});
