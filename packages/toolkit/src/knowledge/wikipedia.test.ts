import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { isToolError, ToolExecutor, type ToolErrorData, type WithAnnotations } from "@capstan/core";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import { type FakeService, sendJson, startFakeService } from "../service/testing/fake-service.ts";
import { knowledgeTools, type KnowledgeToolsOptions } from "./knowledge-tools.ts";

const extract = `A tide is the rise and fall of the sea.

== Causes ==
The moon.

=== Spring tides ===
Sun and moon.

== History ==
Long.`;

/** Answers like the Action API: by the query's parameters, and with errors on status 200. */
const answer: FakeService["answer"] = ({ url, headers }, response) => {
  const query = url.searchParams;
  if (!/^Capstan\/\S+ \(.+\)/.test(headers["user-agent"] ?? ""))
    return void response
      .writeHead(403)
      .end("Please respect our robot policy https://w.wiki/4wJS. (x)");
  if (query.get("list") === "search")
    return sendJson(response, {
      query: {
        searchinfo: { totalhits: 2, suggestion: "tides" },
        search: [
          {
            ns: 0,
            title: "Tide",
            pageid: 1,
            size: 9,
            wordcount: 1500,
            snippet: 'the <span class="searchmatch">tide</span> &amp; the &quot;sea&quot;',
            timestamp: "2026-01-02T03:04:05Z",
          },
          { ns: 0, title: "Tide & time?", pageid: 2, snippet: "", wordcount: 1 },
        ],
      },
      continue: { sroffset: 2, continue: "-||" },
    });
  const title = query.get("titles") ?? "";
  if (title === "Nothing")
    return sendJson(response, { query: { pages: [{ ns: 0, title, missing: true }] } });
  if (title === "a[b")
    return sendJson(response, {
      query: { pages: [{ title, invalid: true, invalidreason: "It contains <b>[</b>." }] },
    });
  sendJson(response, {
    query: {
      ...(title === "Tides" && { redirects: [{ from: "Tides", to: "Tide" }] }),
      pages: [
        {
          pageid: 1,
          ns: 0,
          title: "Tide",
          extract,
          canonicalurl: "https://en.wikipedia.org/wiki/Tide",
          ...(title === "Mercury" && { pageprops: { disambiguation: "" } }),
        },
      ],
    },
  });
};

let service: FakeService;
before(async () => {
  service = await startFakeService(answer);
});
beforeEach(() => {
  service.answer = answer;
});
after(() => service[Symbol.asyncDispose]());

const tool = (options: KnowledgeToolsOptions = {}) =>
  toolOf(
    knowledgeTools({
      wikipediaUrl: `${service.url}/{language}`,
      contact: "admin@example.org",
      ...options,
    }),
    "Wikipedia",
  );

async function failure(args: object, options: KnowledgeToolsOptions = {}): Promise<ToolErrorData> {
  const result = await call(tool(options), { ...args });
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

async function article(args: object) {
  const { value } = await call<WithAnnotations>(tool(), { language: "en", ...args });
  return value as { readonly text: string; readonly sections: readonly string[] };
}

test("a search names articles with their addresses, and without HTML", async () => {
  const text = await callForText(tool(), { query: "tide", language: "de", limit: 2 });
  assert.match(text, /^2 articles for "tide", the first 2: Did you mean "tides"\?/);
  assert.match(
    text,
    /1\. Tide \(1,500 words\)\n {3}http\S+\/de\/wiki\/Tide\n {3}the tide & the "sea"/,
  );
  assert.match(text, /wiki\/Tide_%26_time%3F/);
  const { url, headers } = service.requests.at(-1) ?? assert.fail();
  assert.equal(url.pathname, "/de/w/api.php");
  assert.equal(url.searchParams.get("maxlag"), "5");
  assert.equal(url.searchParams.get("srlimit"), "2");
  assert.match(headers["user-agent"] ?? "", /^Capstan\/0\.1 \(admin@example\.org\) undici/);
});

test("an article has its introduction, its list of sections, and its source as a citation", async () => {
  const result = await call<WithAnnotations>(tool(), { title: "Tides", language: "en" });
  assert.deepEqual(result.annotations, [
    { type: "url_citation", url: "https://en.wikipedia.org/wiki/Tide", title: "Tide – Wikipedia" },
  ]);
  assert.deepEqual(result.value, {
    title: "Tide",
    url: "https://en.wikipedia.org/wiki/Tide",
    language: "en",
    redirectedFrom: "Tides",
    isDisambiguation: false,
    text: "A tide is the rise and fall of the sea.",
    sections: ["1 Causes", "1.1 Spring tides", "2 History"],
  });
  const text = tool().formatForLLM?.(result.value, {}) ?? "";
  assert.match(text, /Redirected from "Tides"\./);
  assert.match(text, /Sections .*1\.1 Spring tides/);
});

test("a section is found by its heading, its number or both, and includes its subsections", async () => {
  for (const section of ["causes", "1", "1 Causes"])
    assert.equal(
      (await article({ title: "Tide", section })).text,
      "The moon.\n\n=== Spring tides ===\nSun and moon.",
    );
  assert.equal((await article({ title: "Tide", section: "1.1" })).text, "Sun and moon.");
  assert.equal((await article({ title: "Tide", section: "all" })).text, extract);
  const { code, message } = await failure({ title: "Tide", section: "Jokes", language: "en" });
  assert.equal(code, "no_such_section");
  assert.match(message, /1 Causes; 1\.1 Spring tides; 2 History/);
});

test("a title with several meanings is marked, and the error for a missing title names similar ones", async () => {
  const { value } = await call<WithAnnotations>(tool(), { title: "Mercury", language: "en" });
  assert.match(tool().formatForLLM?.(value, {}) ?? "", /several meanings/);
  const missing = await failure({ title: "Nothing", language: "en" });
  assert.equal(missing.code, "no_such_article");
  assert.match(missing.message, /"Tide", "Tide & time\?"/);
  assert.match((await failure({ title: "a[b", language: "en" })).message, /It contains \[\./);
});

test("errors with the status 200 are failures, and a busy service names the time until a retry", async () => {
  service.answer = (_request, response) =>
    sendJson(
      response,
      { error: { code: "maxlag", info: "Waiting for db1: 9 seconds lagged", docref: "" } },
      { headers: { "retry-after": "9", "mediawiki-api-error": "maxlag" } },
    );
  const lag = await failure({ query: "tide", language: "en", limit: 8 });
  assert.deepEqual([lag.code, lag.retryable, lag.retryAfterMs], ["rate_limited", true, 9_000]);
  service.answer = (_request, response) =>
    sendJson(response, { error: { code: "srsearch-empty", info: "Nothing to search." } });
  const wrong = await failure({ query: " ", language: "en", limit: 8 });
  assert.deepEqual([wrong.code, wrong.retryable], ["rejected", false]);
  assert.match(wrong.message, /Nothing to search/);
});

test("the error for too many requests has the wait time, and that for a rejected client the setting", async () => {
  service.answer = (_request, response) =>
    response.writeHead(429, { "retry-after": "30" }).end("Please respect our robot policy");
  const busy = await failure({ query: "tide", language: "en", limit: 8 });
  assert.deepEqual([busy.code, busy.retryAfterMs], ["rate_limited", 30_000]);
  assert.match(busy.message, /Try again in 30 seconds/);
  assert.equal(tool().retry?.attempts, 3);
  service.answer = (_request, response) => response.writeHead(403).end("robot policy");
  const rejected = await failure(
    { query: "tide", language: "en", limit: 8 },
    { contact: undefined as never },
  );
  assert.equal(rejected.code, "unauthorized");
  assert.match(rejected.message, /knowledge\.contact/);
});

test("a call waits as long as a busy service asks for, and sends the request again", async () => {
  const group = knowledgeTools({
    wikipediaUrl: `${service.url}/{language}`,
    contact: "a@b.example",
  });
  const executor = new ToolExecutor({ rules: [{ tool: "*", execution: "auto" }] });
  executor.registerToolGroup(group);
  executor.toggleGroupEnabled("knowledge", true);
  const before = service.requests.length;
  service.answer = (_request, response) => {
    service.answer = answer;
    response.writeHead(429, { "retry-after": "0" }).end("robot policy");
  };
  const { status } = await executor.execute("knowledge.Wikipedia", { query: "tide" });
  assert.equal(status, "success");
  assert.equal(service.requests.length, before + 2);
});

test("an unknown language, an invalid reply and a denied host have error codes of their own", async () => {
  service.answer = (_request, response) =>
    response.writeHead(301, { location: "https://example.org/" }).end();
  assert.equal((await failure({ query: "a", language: "xx", limit: 8 })).code, "no_such_language");
  service.answer = (_request, response) => response.writeHead(200).end("<html>");
  assert.equal((await failure({ query: "a", language: "en", limit: 8 })).code, "unexpected_reply");
  const context = fakeContext({ denied: { hosts: [{ host: "127.0.0.1" }] } });
  const before = service.requests.length;
  const denied = await call(tool(), { query: "a", language: "en", limit: 8 }, context);
  assert.ok(isToolError(denied));
  assert.equal(denied.code, "denied_host");
  assert.equal(service.requests.length, before);
});

test("a private address is rejected unless the configuration names it", async () => {
  const resolve = () => Promise.resolve([{ address: "10.0.0.1", family: 4 as const }]);
  const group = knowledgeTools({ resolve, wikipediaUrl: "https://{language}.wiki.example" });
  const result = await call(toolOf(group, "Wikipedia"), { query: "a", language: "en", limit: 8 });
  assert.ok(isToolError(result));
  assert.equal(result.code, "private_address");
});

test("a call needs either a query or a title", async () => {
  const { check } = tool();
  assert.match(String(await check?.({})), /either query/);
  assert.match(String(await check?.({ query: "a", title: "b" })), /either query/);
  assert.match(String(await check?.({ query: "a", section: "b" })), /section needs/);
  assert.deepEqual(await check?.({ title: "b", section: "1" }), []);
});

test("a cancelled call ends with the reason of its signal", async () => {
  const controller = new AbortController();
  service.answer = () => controller.abort(new Error("stopped"));
  const context = fakeContext({ signal: controller.signal });
  await assert.rejects(call(tool(), { query: "a", language: "en", limit: 8 }, context), /stopped/);
});
