import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { redactKeys } from "./redact-keys.ts";

test("removes every key from the text", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8 }).filter((key) => !"[key]".includes(key)),
      fc.string(),
      fc.string(),
      (key, before, after) => {
        const redacted = redactKeys(`${before}${key}${after}`, key);
        assert.ok(!redacted.includes(key) || redactKeys("[key]", undefined).includes(key));
      },
    ),
  );
});

test("removes text that looks like a key, even if it is not a known key", () => {
  for (const [text, redacted] of [
    ["Incorrect key sk-proj-ab12****wxyz, see the docs.", "Incorrect key [key], see the docs."],
    ["The key is sk-abcdefghijkl.", "The key is [key]."],
    [
      "Upstream sent Bearer abc.def, and was refused",
      "Upstream sent Bearer [key], and was refused",
    ],
    ["authorization: bearer q1W2e3R4t5", "authorization: bearer [key]"],
    ["API key AIzaSyA1234567890-_xyz expired", "API key [key] expired"],
    [
      "GET https://a.example/v1?key=abc&alt=sse failed",
      "GET https://a.example/v1?key=[key]&alt=sse failed",
    ],
    ["?api_key=abc and access_token=def", "?api_key=[key] and access_token=[key]"],
    ['{"api_key": "abcdef123456", "model": "m"}', '{"api_key": "[key]", "model": "m"}'],
    ["Invalid API key provided: a1b2c3d4e5f6.", "Invalid API key provided: [key]."],
    [
      "API Key = sk-...wxyz, Key Hash (Token) =88dc28d0f0",
      "API Key = [key], Key Hash (Token) =[key]",
    ],
    ["No user for abcd********wxyz", "No user for [key]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.c2ln has expired", "[key] has expired"],
    [
      "connect to https://me:pass@proxy.example:3128 failed",
      "connect to https://[key]@proxy.example:3128 failed",
    ],
  ] as const) {
    assert.equal(redactKeys(text, undefined), redacted);
    assert.equal(redactKeys(redacted, undefined), redacted, "changes nothing the second time");
  }
});

test("keeps text about keys", () => {
  for (const text of [
    "Skepticism of task-force skies; pkgconfiguration and sketches.",
    "Expected a Bearer token in the Authorization header.",
    "Bearer authentication is required. The key: must be a text.",
    "API key not valid. Please pass a valid API key.",
    "max_tokens=4096 is more than 2048; unexpected key: temperature",
    "Request req_011CSHoEeqs5C35K2UUqR7Fy of gpt-5.5-2026-01-31 failed ** twice **",
    "See https://example.org/docs/keys, or mail help@example.org",
  ]) {
    assert.equal(redactKeys(text, undefined), text);
  }
});

test("removes the configured key in its URL-encoded form", () => {
  assert.equal(
    redactKeys("GET /m?auth=ab%2Fcd%3D%3D failed", "ab/cd=="),
    "GET /m?auth=[key] failed",
  );
});

test("reads a long text quickly", () => {
  const start = performance.now();
  for (const piece of ["sk-", "*", "a", "key=", "://", "Bearer "]) {
    redactKeys(piece.repeat(4_000), undefined);
  }
  assert.ok(performance.now() - start < 10_000);
});
