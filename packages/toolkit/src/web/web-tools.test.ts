import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { CapstanError, isToolError, type ToolErrorData, ToolExecutor } from "@capstan/core";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import type { ResolvedAddress } from "@capstan/sandbox";
import { webTools, type WebToolsOptions } from "./web-tools.ts";

const routes: { [path: string]: RequestListener } = {};
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  const route = routes[request.url ?? ""];
  if (route === undefined) response.writeHead(404).end();
  else route(request, response);
});
let host = "";

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

function serve(
  path: string,
  type: string,
  body: string | Uint8Array,
  headers: object = {},
): string {
  routes[path] = (_request, response) =>
    response.writeHead(200, { "content-type": type, ...headers }).end(body);
  return `http://${host}${path}`;
}

function redirect(path: string, location: string): string {
  routes[path] = (_request, response) => response.writeHead(302, { location }).end();
  return `http://${host}${path}`;
}

const tool = (options: WebToolsOptions = {}) =>
  toolOf(webTools({ allowPrivateHosts: [host], ...options }), "FetchWebPage");

async function failure(url: string, options: WebToolsOptions = {}): Promise<ToolErrorData> {
  const result = await call(tool(options), { url });
  assert.ok(isToolError(result), JSON.stringify(result).slice(0, 300));
  return result;
}

test("a page is read as Markdown, with its title and source", async () => {
  const url = serve(
    "/page",
    "text/html",
    `<html><head><title>Hello</title></head><body><p>Some <b>text</b></p></body></html>`,
  );
  assert.equal(await callForText(tool(), { url }), `# Hello\nSource: ${url}\n\nSome **text**`);
});

test("documents are read as Markdown, by their type or their name; a broken one is an error", async () => {
  const fixture = (name: string) =>
    readFile(new URL(`../documents/testing/fixtures/${name}`, import.meta.url));
  const pdf = serve("/report", "application/pdf; charset=binary", await fixture("report.pdf"));
  assert.match(await callForText(tool(), { url: pdf }), /The harbour has three basins/);
  const word = serve("/a%zz.docx", "application/octet-stream", await fixture("report.docx"));
  assert.match(await callForText(tool(), { url: word }), /Naïve café/);
  const broken = await failure(serve("/broken.pdf", "application/pdf", "%PDF-1.4 no more"));
  assert.equal(broken.code, "unreadable_document");
});

test("text, JSON and Markdown are returned unchanged, and other types are rejected by name", async () => {
  const json = serve("/data.json", "application/json", '{"a":  1}');
  assert.match(await callForText(tool(), { url: json }), /\n\n\{"a": {2}1\}$/);
  const zip = await failure(serve("/a.zip", "application/zip", "PK"));
  assert.equal(zip.code, "unsupported_type");
  assert.match(zip.message, /application\/zip \(2 bytes\)/);
});

test("reading another part and searching do not fetch the page again", async () => {
  const url = serve(
    "/long.txt",
    "text/plain",
    Array.from({ length: 3000 }, (_, i) => `line ${i}`).join("\n"),
  );
  const reader = tool();
  const whole = await call<{ text: string; pages: number }>(reader, { url });
  assert.ok(whole.text.endsWith("line 2999"));
  const before = requests.length;
  assert.match(
    await callForText(reader, { url, page: 2 }),
    /\[Page 2 of 5\. Read on with page 3\.\]$/,
  );
  assert.match(
    await callForText(reader, { url: `${url}#part`, find: "LINE 2999" }),
    /1 match .*\n\n\[page 5, character \d+\]/,
  );
  const missing = await call(reader, { url, page: 9 });
  assert.ok(isToolError(missing) && /has 5 pages/.test(missing.message));
  assert.equal(requests.length, before);
  await call(reader, { url });
  assert.equal(requests.length, before + 1);
});

test("only http and https addresses without credentials are accepted", async () => {
  assert.equal((await failure("example.org")).code, "invalid_url");
  for (const url of [
    "file:///etc/passwd",
    "ftp://example.org/",
    "data:text/html,x",
    "javascript:alert(1)",
  ]) {
    assert.equal((await failure(url)).code, "unsupported_scheme", url);
  }
  assert.equal((await failure("http://user:pw@example.org/")).code, "credentials_in_url");
});

test("private addresses are rejected in any notation before a request is sent", async () => {
  const before = requests.length;
  const port = host.split(":")[1]!;
  const hosts = [
    "127.0.0.1",
    "2130706433",
    "0177.0.0.1",
    "0x7f.1",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "169.254.169.254",
    "10.0.0.1",
    "[fe80::1]",
    "[64:ff9b::7f00:1]",
    "localhost",
  ];
  for (const private_ of hosts) {
    const error = await failure(`http://${private_}:${port}/page`, { allowPrivateHosts: [] });
    assert.equal(error.code, "private_address", private_);
  }
  assert.equal(requests.length, before);
});

test("a name that resolves to a private address is rejected, even together with a public one", async () => {
  const port = host.split(":")[1]!;
  const answers: readonly (readonly ResolvedAddress[])[] = [
    [{ address: "127.0.0.1", family: 4 }],
    [
      { address: "93.184.215.14", family: 4 },
      { address: "10.0.0.7", family: 4 },
    ],
    [{ address: "::ffff:127.0.0.1", family: 6 }],
  ];
  for (const answer of answers) {
    const error = await failure(`http://public.example:${port}/page`, {
      resolve: () => Promise.resolve(answer),
    });
    assert.equal(error.code, "private_address");
    assert.doesNotMatch(error.message, /10\.0\.0\.7|127\.0\.0\.1/);
  }
});

test("a name is resolved once per connection, so a later DNS answer cannot redirect it", async () => {
  let lookups = 0;
  const rebinding = () => {
    lookups++;
    const address = lookups === 1 ? "203.0.113.9" : "127.0.0.1";
    return Promise.resolve([{ address, family: 4 as const }]);
  };
  const port = host.split(":")[1]!;
  const before = requests.length;
  for (let i = 0; i < 3; i++) {
    assert.equal(
      (await failure(`http://rebind.example:${port}/page`, { resolve: rebinding })).code,
      "private_address",
    );
  }
  assert.equal(requests.length, before);
});

test("a name that the configuration allows can be private, but only on its port", async () => {
  const url = serve("/internal", "text/plain", "inside");
  const port = host.split(":")[1]!;
  const resolve = () => Promise.resolve([{ address: "127.0.0.1", family: 4 as const }]);
  const allowed = tool({ allowPrivateHosts: [`wiki.example:${port}`], resolve });
  assert.match(
    await callForText(allowed, { url: `http://wiki.example:${port}/internal` }),
    /inside$/,
  );
  assert.equal(
    (await failure(url, { allowPrivateHosts: [`wiki.example:${port}`] })).code,
    "private_address",
  );
  assert.equal(
    (await failure(`http://127.0.0.1:${port}/`, { allowPrivateHosts: ["127.0.0.1:1"] })).code,
    "private_address",
  );
  assert.match(await callForText(tool({ allowPrivateHosts: ["127.0.0.1"] }), { url }), /inside$/);
});

test("invalid hosts in the configuration are rejected immediately", () => {
  for (const entry of ["http://x", "a b", "x/y", "x:99999", "u@x", ""]) {
    assert.throws(
      () => webTools({ allowPrivateHosts: [entry] }),
      (error) => CapstanError.isInstance(error),
      entry,
    );
  }
});

test("every kind of redirect to a private address is rejected", async () => {
  const targets = [
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://2130706433/",
    "//0x7f.1/",
    "http://127.0.0.1:1/",
  ];
  for (const [i, target] of targets.entries()) {
    assert.equal((await failure(redirect(`/evil${i}`, target))).code, "private_address", target);
  }
  assert.equal((await failure(redirect("/file", "file:///etc/passwd"))).code, "unsupported_scheme");
  assert.equal((await failure(redirect("/bad", "http://"))).code, "http_error");
});

test("redirects within a site are followed, redirects to another site are reported", async () => {
  serve("/target", "text/plain", "arrived");
  assert.match(
    await callForText(tool(), { url: redirect("/hop", "/target") }),
    /\/target\n\narrived$/,
  );
  const elsewhere = await failure(redirect("/away", "https://other.example/x?q=1"));
  assert.equal(elsewhere.code, "redirects_elsewhere");
  assert.match(elsewhere.message, /https:\/\/other\.example\/x\?q=1/);
  assert.equal((await failure(redirect("/loop", "/loop"))).code, "too_many_redirects");
  assert.equal(requests.filter((path) => path === "/loop").length, 6);
});

test("a response that is not a page is an error with its status", async () => {
  const missing = await failure(`http://${host}/nowhere`);
  assert.match(missing.message, /404 Not Found/);
  assert.equal(missing.retryable, false);
  routes["/busy"] = (_request, response) =>
    response.writeHead(503, { "retry-after": "7" }).end("busy");
  const busy = await failure(`http://${host}/busy`);
  assert.match(busy.message, /503.*try again after: 7/);
  assert.equal(busy.retryable, true);
});

test("a body over the limit is rejected, by its header or while it arrives", async () => {
  const limits = { maxBytes: 100_000 };
  assert.equal(
    (await failure(serve("/big", "text/plain", "x".repeat(100_001)), limits)).code,
    "too_large",
  );
  let written = 0;
  routes["/endless"] = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    const more = (): void => {
      written += 65_536;
      if (!response.destroyed && written < 50_000_000)
        response.write("x".repeat(65_536), () => setImmediate(more));
    };
    more();
  };
  assert.equal((await failure(`http://${host}/endless`, limits)).code, "too_large");
  assert.ok(written < 50_000_000, `${written}`);
});

test("a decompression bomb ends at the limit", async () => {
  const whole = gzipSync(Buffer.alloc(50 * 1024 * 1024));
  // The body is corrupt at its end, so decompressing all of it would report that instead of the
  // limit.
  const bomb = Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8, 0xff)]);
  const url = serve("/bomb", "text/plain", bomb, { "content-encoding": "gzip" });
  assert.equal((await failure(url, { maxBytes: 1024 * 1024 })).code, "too_large");
  const brotli = brotliCompressSync(Buffer.alloc(8 * 1024 * 1024), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  const nested = gzipSync(gzipSync(Buffer.alloc(8 * 1024 * 1024)));
  for (const [encoding, body] of [
    ["br", brotli],
    ["gzip, gzip", nested],
  ] as const) {
    const each = serve("/bomb", "text/plain", body, { "content-encoding": encoding });
    assert.equal((await failure(each, { maxBytes: 1024 * 1024 })).code, "too_large", encoding);
  }
  const plain = serve("/zipped", "text/plain", gzipSync("small"), { "content-encoding": "gzip" });
  assert.match(await callForText(tool(), { url: plain }), /small$/);
});

test("a site that is slow or disconnects is an error within the time limit", async () => {
  routes["/silent"] = () => {};
  routes["/slow"] = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    response.write("begin");
  };
  routes["/broken"] = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", "content-length": "1000" });
    response.write("begin", () => response.destroy());
  };
  assert.equal((await failure(`http://${host}/silent`, { timeoutMs: 150 })).code, "timed_out");
  assert.equal((await failure(`http://${host}/slow`, { timeoutMs: 150 })).code, "timed_out");
  assert.equal((await failure(`http://${host}/broken`)).code, "unreachable");
  assert.equal(
    (await failure("http://127.0.0.1:1/", { allowPrivateHosts: ["127.0.0.1"] })).code,
    "unreachable",
  );
  const nobody = {
    resolve: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
  };
  assert.equal((await failure("http://nobody.example/", nobody)).code, "unknown_host");
});

test("a call stops at once when it is cancelled", async () => {
  routes["/hang"] = () => {};
  const controller = new AbortController();
  const running = call(
    tool(),
    { url: `http://${host}/hang` },
    fakeContext({ signal: controller.signal }),
  );
  setTimeout(() => controller.abort(new Error("stopped")), 50);
  await assert.rejects(running, /stopped/);
});

test("a page that is nested too deeply is returned as text without markup", async () => {
  const deep = `<title>Deep</title>${"<div>".repeat(60_000)}the core of it`;
  const text = await callForText(tool(), {
    url: serve("/deep", "text/html", deep),
  });
  assert.match(text, /the core of it/);
});

test("an approval covers a site", () => {
  const scope = tool().permission?.grantScope;
  assert.equal(tool().permission?.executionPolicy, "ask-once");
  assert.deepEqual(scope?.({ url: "https://example.org/a?b" }), {
    when: { url: { site: "https://example.org" } },
    title: "pages of example.org",
  });
  assert.deepEqual(scope?.({ url: "https://user@example.org:8443" }), {
    when: { url: { site: "https://example.org:8443" } },
    title: "pages of example.org:8443",
  });
  for (const url of ["no address", "data:x"])
    assert.deepEqual(scope?.({ url }).when, { url: { equals: url } });
});

test("a host that a rule denies is not fetched after a redirect, nor read from the cache", async () => {
  const port = host.split(":")[1];
  const url = redirect("/to-www", `http://www.localhost:${port}/there`);
  serve("/there", "text/plain", "on the denied host");
  const reader = tool({
    allowPrivateHosts: [host, "localhost", "www.localhost"],
    resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
  });
  const from = url.replace("127.0.0.1", "localhost");
  assert.match(await callForText(reader, { url: from }), /on the denied host/);
  const context = fakeContext({ denied: { hosts: [{ host: "www.localhost" }] } });
  for (const args of [{ url: from }, { url: from, page: 1 }]) {
    const result = await call(reader, args, context);
    assert.ok(isToolError(result), JSON.stringify(result));
    assert.equal(result.code, "denied_host");
  }
});

for (const [what, html, expected] of [
  [
    "of 100,000 table rows",
    `<html><body><table>${"<tr><td>cell</td><td>other</td></tr>".repeat(100_000)}</table></body></html>`,
    /too large: it has more than 10,000 elements\. Only its beginning was read\.\][\s\S]*cell/,
  ],
  [
    "nested 5,000 levels deep",
    `<html><body><p>above</p>${"<div>".repeat(5_000)}below</body></html>`,
    /above[\s\S]*below/,
  ],
] as const)
  test(`a page ${what} is read within its budgets, and the result says which limit it exceeded`, async () => {
    const url = serve(`/large/${html.length}`, "text/html", html);
    assert.match(await callForText(tool(), { url }), expected);
  });

test("a page is requested with the configured user agent", async () => {
  const agents: (string | undefined)[] = [];
  routes["/agent"] = (request, response) => {
    agents.push(request.headers["user-agent"]);
    response.end("text");
  };
  await call(tool(), { url: `http://${host}/agent` });
  await call(tool({ userAgent: "Harbour/1" }), { url: `http://${host}/agent` });
  assert.deepEqual(agents, ["Mozilla/5.0 (compatible; Capstan/0.1)", "Harbour/1"]);
});

test("the variable of a truncated page has its whole text", async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i}`).join("\n");
  const url = serve("/whole.txt", "text/plain", lines);
  const executor = new ToolExecutor({ approvals: { request: () => ({ decision: "allow" }) } });
  executor.registerToolGroup(webTools({ allowPrivateHosts: [host] }));
  executor.toggleGroupEnabled("web", true);
  const result = await executor.execute("FetchWebPage", JSON.stringify({ url }));
  assert.ok(result.status === "success" && result.isTruncated, JSON.stringify(result));
  const kept = executor.variables.getVariable(result.cacheVarResult ?? "")?.value;
  assert.ok(JSON.stringify(kept).includes("line 4999"));
  assert.ok(JSON.stringify(kept).includes("line 2500"));
});
