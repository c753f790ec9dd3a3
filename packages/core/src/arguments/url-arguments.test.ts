import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { defineTool } from "../tool/define-tool.ts";
import type { PolicyRule } from "../policy/rule.ts";
import { ToolExecutor } from "../call/tool-executor.ts";
import { conditionsHold } from "./argument-conditions.ts";
import { readUrl } from "./read-url.ts";
import { plainUrls } from "./url-arguments.ts";

const ambiguous = [
  String.raw`https://example.org\@evil.com/`,
  String.raw`https:\\evil.com\@example.org`,
  String.raw`https://example.org\.evil.com/`,
  "https://example.org@evil.com/",
  "https://user:word@example.org/",
  "https://exa%6dple.org/",
  "https://example.org%00.evil.com/",
  "https://exam\tple.org/",
  "https://example.org\n.evil.com/",
  "https://example.org /",
  "https:example.org",
  "https:/example.org",
  "https:///example.org",
  "https://[::1/",
  "https://example.org:80:80/",
  "https://",
];

const hosts: readonly (readonly [string, string])[] = [
  ["HTTPS://EXAMPLE.org.", "https://example.org/"],
  ["https://example.org:443/a/../b?x=1#y", "https://example.org/b?x=1#y"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["https://ｅxample。org/", "https://example.org/"],
  ["http://0x7f.1/", "http://127.0.0.1/"],
  ["http://2130706433/", "http://127.0.0.1/"],
  ["http://017700000001/", "http://127.0.0.1/"],
  ["http://[0:0:0:0:0:0:0:1]:80/", "http://[::1]/"],
];

// Contract: executor-221
test("a URL that programs read in different ways is rejected with its argument's name", async () => {
  for (const url of ambiguous) {
    assert.equal(readUrl(url).status, "ambiguous", url);
    const { result, seen } = await fetchWith({ url });
    assert.equal(result.status, "error", url);
    assert.match("finalText" in result ? result.finalText : "", /ambiguous_url/, url);
    assert.deepEqual(seen, []);
  }
});

// Contract: executor-221
test("rules, grants and the tool get the host in one form", async () => {
  for (const [url, plain] of hosts) {
    assert.deepEqual((await fetchWith({ url })).seen, [plain]);
    const { hostname } = new URL(plain);
    const denied = await fetchWith({ url }, [
      { tool: "net.*", when: { url: { host: hostname } }, execution: "deny" },
    ]);
    assert.equal(denied.result.status, "execution_rejected", url);
  }
});

// Contract: executor-221
test("Python reads the same host from every plain URL as the gate", (t) => {
  const python = "python3";
  const plain = hosts.map(([, href]) => href);
  const code =
    "import sys,json;from urllib.parse import urlsplit\nprint(json.dumps([urlsplit(u).hostname for u in json.load(sys.stdin)]))";
  const { stdout, error } = spawnSync(python, ["-c", code], {
    encoding: "utf8",
    input: JSON.stringify(plain),
  });
  if (error !== undefined) return t.skip("no python3");
  assert.deepEqual(
    JSON.parse(stdout),
    plain.map((href) => new URL(href).hostname.replace(/^\[|\]$/g, "")),
  );
});

test("an ambiguous URL matches every denied host and no allowed one", () => {
  for (const text of ambiguous)
    for (const host of ["example.org", "evil.com", "other.net"]) {
      assert.ok(conditionsHold({ text: { host } }, { text }, "some"), text);
      assert.ok(!conditionsHold({ text: { host } }, { text }, "every"), text);
      assert.ok(conditionsHold({ text: { not: { host } } }, { text }, "some"), text);
    }
});

test("URLs are found by their names and formats, at any depth; other texts stay unchanged", () => {
  const schema = {
    type: "object",
    properties: {
      pages: { type: "array", items: { type: "string", format: "uri" } },
      options: { type: "object", properties: { imageUrl: { type: "string" } } },
    },
  };
  const args = {
    pages: ["HTTP://A.example", "/relative", "data:text/plain,x"],
    options: { imageUrl: "HTTP://B.example" },
    note: "HTTP://C.example",
    curl: "HTTP://D.example",
  };
  assert.deepEqual(plainUrls(args, schema), {
    status: "plain",
    args: {
      ...args,
      pages: ["http://a.example/", "/relative", "data:text/plain,x"],
      options: { imageUrl: "http://b.example/" },
    },
  });
});

test("a URL that the schema lists stays in the listed form", async () => {
  const { seen } = await fetchWith({ listed: "https://example.org" });
  assert.deepEqual(seen, ["https://example.org"]);
});

async function fetchWith(
  args: { readonly [name: string]: string },
  rules: readonly PolicyRule[] = [],
) {
  const seen: unknown[] = [];
  const executor = new ToolExecutor({ rules });
  const tool = defineTool({
    name: "Fetch",
    description: "Fetches.",
    parameters: {
      type: "object",
      properties: {
        url: { type: "string" },
        listed: { type: "string", format: "uri", enum: ["https://example.org"] },
      },
    },
    permission: { executionPolicy: "auto" },
    execute: (given: { readonly [name: string]: unknown }) => {
      seen.push(given["url"] ?? given["listed"]);
      return "ok";
    },
  });
  executor.registerToolGroup({ name: "net", tools: [tool] });
  executor.toggleGroupEnabled("net", true);
  return { result: await executor.execute("net.Fetch", args), seen };
}
