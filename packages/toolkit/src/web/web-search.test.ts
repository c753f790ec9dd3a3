import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { type ToolErrorData, isToolError } from "@capstan/core";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import { webTools } from "./web-tools.ts";
import type { WebSearchOptions } from "../search/search-options.ts";
import type { SearchService } from "../search/providers/search-provider.ts";

/** A local fake of a search service, with its received requests and its next reply. */
let requests: { readonly url: URL; readonly message: IncomingMessage; readonly body: unknown }[];
let reply: { status: number; body: unknown; headers?: { [name: string]: string } };
const server = createServer((message, response) => {
  const chunks: Buffer[] = [];
  message.on("data", (chunk: Buffer) => chunks.push(chunk));
  message.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    const body = text === "" ? undefined : (JSON.parse(text) as unknown);
    requests.push({ url: new URL(message.url ?? "", "http://localhost"), message, body });
    const sent = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body);
    response.writeHead(reply.status, reply.headers).end(sent);
  });
});
let url = "";

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  requests = [];
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const key = "secret-key-0123456789";
const group = (service: SearchService, more: Partial<WebSearchOptions> = {}) =>
  webTools({
    search: { service, url, engine: "engine", ...(service !== "searxng" && { key }), ...more },
  });
const tool = (service: SearchService) => toolOf(group(service), "WebSearch");

async function failureOf(service: SearchService): Promise<ToolErrorData> {
  const result = await call(tool(service), { query: "tides" });
  assert.ok(isToolError(result), JSON.stringify(result));
  return result;
}

const hit = { title: "Tides &amp; <b>moons</b>", url: "https://a.example/tides" };
const hits = {
  tavily: {
    results: [{ ...hit, content: "1 < 2 <strong>springs</strong>", published_date: "2026" }],
  },
  brave: {
    web: { results: [{ ...hit, description: "1 < 2 <strong>springs</strong>", page_age: "2026" }] },
  },
  exa: { results: [{ ...hit, highlights: ["1 < 2 springs"], publishedDate: "2026" }] },
  bocha: {
    code: 200,
    data: {
      webPages: {
        value: [
          {
            name: hit.title,
            url: hit.url,
            snippet: "1 < 2 springs",
            summary: null,
            dateLastCrawled: "2026",
          },
        ],
      },
    },
  },
  google: { items: [{ title: hit.title, link: hit.url, snippet: "1 < 2 springs" }] },
  searxng: { results: [{ ...hit, content: "1 < 2 springs", publishedDate: "2026" }] },
} as const;

for (const [service, body] of Object.entries(hits) as [SearchService, object][])
  test(`${service}: results have one form, free of markup, and are cited`, async () => {
    reply = { status: 200, body };
    const text = await callForText(tool(service), { query: "tides" });
    assert.match(text, /1\. Tides & moons\n {3}https:\/\/a\.example\/tides/);
    assert.match(text, /1 < 2 springs/);
    const { events, context } = recordingContext();
    const result = (await call(tool(service), { query: "tides" }, context)) as {
      readonly annotations: readonly object[];
    };
    assert.deepEqual(result.annotations, [
      { type: "url_citation", url: hit.url, title: "Tides & moons" },
    ]);
    assert.deepEqual(
      events.map(([name]) => name),
      ["web_search.searching", "web_search.completed"],
    );
  });

function recordingContext() {
  const events: [string, unknown][] = [];
  const context = fakeContext();
  const output = {
    ...context.output,
    event: (name: string, data: unknown) => void events.push([name, data]),
  };
  return { events, context: { ...context, output } };
}

const empty: { readonly [service in SearchService]: object } = {
  tavily: { results: [] },
  brave: { type: "search" },
  exa: { results: [] },
  bocha: { code: 200, data: { webPages: null } },
  google: { kind: "customsearch#search" },
  searxng: { results: [], unresponsive_engines: [["a", "timeout"]] },
};

for (const [service, body] of Object.entries(empty) as [SearchService, object][])
  test(`${service}: a search without results says so`, async () => {
    reply = { status: 200, body };
    assert.match(await callForText(tool(service), { query: "tides" }), /found nothing for "tides"/);
  });

test("each service gets its key, and the conditions in its own terms", async () => {
  reply = { status: 200, body: hits.tavily };
  const args = {
    query: "tides",
    count: 3,
    domains: ["a.example", "b.example"],
    excludedDomains: ["c.example"],
  };
  const sent = async (service: SearchService, more: object = {}) => {
    reply.body = hits[service];
    await call(tool(service), { ...args, ...more });
    const last = requests.at(-1);
    assert.ok(last);
    const { url: address, message, body } = last;
    return {
      path: address.pathname,
      search: Object.fromEntries(address.searchParams),
      headers: message.headers,
      body,
      method: message.method,
    };
  };
  const tavily = await sent("tavily", { freshness: "week", country: "DE" });
  assert.equal(tavily.headers.authorization, `Bearer ${key}`);
  assert.deepEqual(tavily.body, {
    query: "tides",
    max_results: 3,
    time_range: "week",
    country: "germany",
    include_domains: ["a.example", "b.example"],
    exclude_domains: ["c.example"],
  });

  const words = "tides (site:a.example OR site:b.example) -site:c.example";
  const brave = await sent("brave", { page: 2, freshness: "day", language: "ja", country: "JP" });
  assert.equal(brave.headers["x-subscription-token"], key);
  assert.deepEqual(brave.search, {
    q: words,
    count: "3",
    offset: "1",
    text_decorations: "false",
    result_filter: "web",
    freshness: "pd",
    search_lang: "jp",
    country: "JP",
  });

  const exa = await sent("exa", { freshness: "month", country: "DE" });
  assert.equal(exa.headers["x-api-key"], key);
  assert.match(
    JSON.stringify(exa.body),
    /"startPublishedDate":"\d{4}-\d\d-\d\d".*"includeDomains"/,
  );

  const bocha = await sent("bocha", { page: 2, freshness: "year" });
  assert.deepEqual(bocha.body, {
    query: words,
    count: 3,
    page: 2,
    summary: true,
    freshness: "oneYear",
  });

  const google = await sent("google", {
    page: 2,
    freshness: "month",
    language: "de",
    country: "DE",
  });
  assert.deepEqual(google.search, {
    key,
    cx: "engine",
    q: words,
    num: "3",
    start: "4",
    dateRestrict: "m1",
    lr: "lang_de",
    gl: "de",
  });

  const searxng = await sent("searxng", { page: 2, freshness: "year", language: "de" });
  assert.deepEqual(searxng.search, {
    q: words,
    format: "json",
    pageno: "2",
    time_range: "year",
    language: "de",
  });
});

test("words of a query are sent unchanged", async () => {
  const query = 'C++ & "spring tides" 100% #1?';
  for (const service of ["tavily", "brave", "google", "searxng"] as const) {
    reply = { status: 200, body: hits[service] };
    await call(tool(service), { query });
    const { url, body } = requests.at(-1) ?? assert.fail();
    const sent = url.searchParams.get("q") ?? (body as { readonly query?: string }).query;
    assert.equal(sent, query, service);
  }
});

const failures: readonly (readonly [SearchService, number, unknown, string, RegExp])[] = [
  [
    "tavily",
    401,
    { detail: { error: `Unauthorized: ${key}` } },
    "invalid_key",
    /\[key\].*TAVILY_API_KEY/,
  ],
  [
    "tavily",
    432,
    { detail: { error: "This exceeds the plan" } },
    "quota_exceeded",
    /exceeds the plan/,
  ],
  ["tavily", 433, { detail: "Pay-as-you-go limit" }, "quota_exceeded", /Pay-as-you-go/],
  ["tavily", 422, { detail: [{ loc: ["body"], msg: "bad topic" }] }, "invalid_query", /bad topic/],
  [
    "brave",
    422,
    { error: { code: "SUBSCRIPTION_TOKEN_INVALID", detail: "The token is invalid." } },
    "invalid_key",
    /token is invalid/,
  ],
  [
    "brave",
    422,
    { error: { code: "VALIDATION", detail: "Unable to validate" } },
    "invalid_query",
    /Unable/,
  ],
  ["brave", 429, { error: { code: "QUOTA_LIMITED", detail: "Quota" } }, "quota_exceeded", /Quota/],
  [
    "brave",
    429,
    { error: { code: "RATE_LIMITED", detail: "Rate" } },
    "rate_limited",
    /after 7 seconds/,
  ],
  ["exa", 402, { error: "No credits" }, "quota_exceeded", /No credits/],
  ["bocha", 401, { code: "401", message: "Invalid API KEY" }, "invalid_key", /Invalid API KEY/],
  [
    "bocha",
    403,
    { code: "403", message: "You do not have enough money" },
    "quota_exceeded",
    /money/,
  ],
  [
    "google",
    400,
    { error: { message: "API key not valid", details: [{ reason: "API_KEY_INVALID" }] } },
    "invalid_key",
    /not valid/,
  ],
  [
    "google",
    429,
    { error: { status: "RESOURCE_EXHAUSTED", message: "Quota exceeded" } },
    "quota_exceeded",
    /Quota/,
  ],
  ["searxng", 403, "<html>403</html>", "service_failed", /search\.formats/],
  ["searxng", 429, "Too Many Requests", "rate_limited", /Too Many/],
  ["searxng", 500, { error: "search error" }, "service_failed", /search error/],
  ["exa", 302, "", "invalid_query", /302/],
];

for (const [service, status, body, code, message] of failures)
  test(`${service}: a reply of ${status} is ${code}`, async () => {
    reply = { status, body, headers: { "retry-after": "7", location: "http://127.0.0.1:9/" } };
    const error = await failureOf(service);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.ok(!JSON.stringify(error).includes(key));
    assert.equal(requests.length, 1);
  });

test("a reply of another form, or none, is an error that names the service", async () => {
  reply = { status: 200, body: "<html>not JSON</html>" };
  assert.equal((await failureOf("tavily")).code, "unexpected_reply");
  reply = { status: 200, body: `{"results": ["${"x".repeat(5_000_000)}"]}` };
  assert.equal((await failureOf("tavily")).code, "too_large");
  const nowhere = toolOf(group("brave", { url: "http://127.0.0.1:9" }), "WebSearch");
  const result = await call(nowhere, { query: "tides" });
  assert.ok(isToolError(result));
  assert.equal(result.code, "unreachable");
  assert.ok(!JSON.stringify(result).includes(key));
});

test("the tool has no parameters that the service does not support", () => {
  const names = (service: SearchService) =>
    Object.keys(
      (tool(service).definition.function.parameters as { properties: object }).properties,
    );
  assert.deepEqual(names("tavily"), [
    "query",
    "count",
    "freshness",
    "country",
    "domains",
    "excludedDomains",
  ]);
  assert.deepEqual(names("searxng"), [
    "query",
    "count",
    "page",
    "freshness",
    "language",
    "domains",
    "excludedDomains",
  ]);
});

test("duplicate pages, and addresses of other protocols, are omitted", async () => {
  reply = {
    status: 200,
    body: {
      results: [
        hit,
        { ...hit, url: "http://a.example/tides/#moon" },
        { ...hit, url: "javascript:alert(1)" },
        { ...hit, url: "not an address" },
      ],
    },
  };
  assert.match(await callForText(tool("tavily"), { query: "tides" }), /^1 result of Tavily/);
});

test("the options of a request's tool restrict the search, and unsupported options are named", async () => {
  reply = { status: 200, body: hits.tavily };
  const options = {
    type: "web_search",
    filters: { allowed_domains: ["a.example"], blocked_domains: ["c.example"] },
    user_location: { type: "approximate", country: "DE" },
  };
  await call(
    tool("tavily"),
    { query: "tides", domains: ["b.example"] },
    { ...fakeContext(), tool: options },
  );
  const { body } = requests.at(-1) ?? {};
  assert.deepEqual(body, {
    query: "tides",
    max_results: 8,
    country: "germany",
    include_domains: ["a.example"],
    exclude_domains: ["c.example"],
  });
  await call(
    tool("tavily"),
    { query: "tides", domains: ["www.a.example"] },
    { ...fakeContext(), tool: options },
  );
  assert.match(JSON.stringify(requests.at(-1)?.body), /"include_domains":\["www.a.example"\]/);
  reply = { status: 200, body: hits.searxng };
  const result = (await call(
    tool("searxng"),
    { query: "tides" },
    { ...fakeContext(), tool: options },
  )) as {
    readonly value: { readonly note: string };
  };
  assert.match(result.value.note, /user_location/);
});

test("without a service, a key or an address the tool is not offered, and is listed with a setup hint", () => {
  const needs = (search?: WebSearchOptions) =>
    toolOf(webTools({ search }), "WebSearch").unavailable;
  assert.match(needs()?.fix ?? "", /TAVILY_API_KEY.*web\.search\.url/);
  assert.match(needs({ service: "brave" })?.fix ?? "", /BRAVE_API_KEY/);
  assert.match(needs({ service: "searxng" })?.fix ?? "", /web\.search\.url/);
  assert.match(needs({ service: "google", key })?.fix ?? "", /web\.search\.engine/);
  assert.equal(needs({ service: "exa", key }), undefined);
});

test("the rule on searches is short, and exists only if there is a service", () => {
  const { declareSkillRules: rules = {} } = group("searxng");
  const length = rules["search-tools"]?.prompt.length ?? 0;
  assert.ok(length > 300 && length <= 2_000, String(length));
  assert.equal(webTools().declareSkillRules?.["search-tools"], undefined);
});
