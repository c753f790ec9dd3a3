import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { type Clock, isToolError, type ToolErrorData } from "@capstan/core";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import type { Crawl } from "../crawl/crawl-site.ts";
import { startWebSite, type WebSite } from "./testing/web-site.ts";
import { webTools, type WebToolsOptions } from "./web-tools.ts";

let site: WebSite;
before(async () => {
  site = await startWebSite();
});
afterEach(() => {
  site.requests.length = 0;
});
after(() => site.close());

/** Returns a clock whose waits end at once, and a list of these waits. */
function quickClock(): { readonly clock: Clock; readonly waits: number[] } {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    clock: {
      now: () => now,
      monotonic: () => now,
      after(ms, callback) {
        waits.push(ms);
        now += ms;
        queueMicrotask(callback);
        return () => {};
      },
    },
  };
}

const groupOf = (options: WebToolsOptions = {}) =>
  webTools({ allowPrivateHosts: [site.host], clock: quickClock().clock, ...options });
const tool = (options: WebToolsOptions = {}) => toolOf(groupOf(options), "CrawlPages");

async function failure(args: object, context = fakeContext()): Promise<ToolErrorData> {
  const result = await call(tool(), { ...args }, context);
  assert.ok(isToolError(result), JSON.stringify(result).slice(0, 300));
  return result;
}

function page(path: string, ...links: readonly string[]): string {
  const anchors = links.map((link) => `<a href="${link}">to ${link}</a>`).join(" ");
  const html = `<html><head><title>Page ${path}</title></head><body><nav>${anchors}</nav><main><p>Text of ${path}.</p></main></body></html>`;
  return site.serve(path, "text/html", html);
}

const robots = (text: string) => site.serve("/robots.txt", "text/plain", text);
const paths = ({ pages }: Crawl) => pages.map(({ url }) => new URL(url).pathname);

test("the pages of a site are read along its links, nearest first, each once", async () => {
  robots("");
  const url = page("/", "/a", "/b#x", "/a", "https://other.example/", "mailto:a@b", "/pic.png");
  page("/a", "/a/deep", "/");
  page("/b", "/a/deep");
  page("/a/deep", "/too/deep");
  const context = fakeContext();
  const crawl = await call<Crawl>(tool(), { url }, context);
  assert.deepEqual(crawl, {
    site: site.host,
    pages: ["/", "/a", "/b", "/a/deep"].map((path, i) => ({
      url: `http://${site.host}${path}`,
      title: `Page ${path}`,
      depth: [0, 1, 1, 2][i],
      text: `Text of ${path}.`,
    })),
    failed: [],
    excluded: [],
    left: 0,
  });
  assert.deepEqual(site.requests, ["/robots.txt", "/", "/a", "/b", "/a/deep"]);
  assert.deepEqual(
    context.progress.map(({ message, done }) => [message, done]),
    [
      ["Page 1: /", 0],
      ["Page 2: /a", 1],
      ["Page 3: /b", 2],
      ["Page 4: /a/deep", 3],
    ],
  );
});

test("depth, path and number of pages are limits, and the result says how many are left", async () => {
  robots("");
  const url = page("/", "/docs/1", "/blog/1", "/docs/2", "/docs/3");
  for (const path of ["/docs/1", "/docs/2", "/docs/3", "/blog/1"]) page(path, "/docs/4");
  page("/docs/4");
  const inDocs = await call<Crawl>(tool(), { url, path: "/docs/", depth: 1 });
  assert.deepEqual(paths(inDocs), ["/", "/docs/1", "/docs/2", "/docs/3"]);
  const few = await call<Crawl>(tool(), { url, maxPages: 2 });
  assert.deepEqual([paths(few), few.stoppedBy, few.left], [["/", "/docs/1"], "pages", 4]);
  assert.match(
    await callForText(tool(), { url, maxPages: 2 }),
    /^2 pages of .*\. Stopped because maxPages is reached; 4 pages found and not read\.\n\n1\. Page \/\n {3}http.* \(10 characters\)\n {3}Text of \/\./,
  );
  assert.deepEqual(paths(await call<Crawl>(tool(), { url, depth: 0 })), ["/"]);
});

test("robots.txt excludes pages, including targets of redirects, and its delay is respected", async () => {
  robots("User-agent: capstan\nDisallow: /secret\nCrawl-delay: 7");
  const url = page("/", "/secret/a", "/open", "/hop");
  page("/open");
  page("/secret/b");
  site.answer("/hop", (_request, response) =>
    response.writeHead(302, { location: "/secret/b" }).end(),
  );
  const { clock, waits } = quickClock();
  const crawl = await call<Crawl>(tool({ clock }), { url });
  assert.deepEqual(paths(crawl), ["/", "/open"]);
  assert.deepEqual(
    crawl.excluded.map((each) => new URL(each).pathname),
    ["/secret/a", "/hop"],
  );
  assert.deepEqual(waits, [7_000, 7_000]);
  assert.deepEqual(site.requests, ["/robots.txt", "/", "/open", "/hop"]);
  const first = await failure({ url: `http://${site.host}/secret/a` });
  assert.equal(first.code, "robots_excluded");
});

test("a crawl ends at its time limit with the pages that it has read", async () => {
  robots("User-agent: *\nCrawl-delay: 100");
  const url = page("/", "/1", "/2", "/3", "/4");
  for (const path of ["/1", "/2", "/3", "/4"]) page(path);
  const crawl = await call<Crawl>(tool(), { url });
  assert.deepEqual([paths(crawl), crawl.stoppedBy, crawl.left], [["/", "/1", "/2"], "time", 2]);
});

test("a site without robots.txt has no rules; if its rules cannot be read, it is not crawled", async () => {
  const url = page("/");
  const answer = (status: number) =>
    site.answer("/robots.txt", (_request, response) => response.writeHead(status).end());
  for (const status of [404, 403, 410]) {
    answer(status);
    assert.deepEqual(paths(await call<Crawl>(tool(), { url })), ["/"]);
  }
  for (const status of [500, 503, 429]) {
    answer(status);
    const error = await failure({ url });
    assert.deepEqual([error.code, error.retryable], ["robots_unreachable", true]);
  }
  site.answer("/robots.txt", (_request, response) =>
    response.writeHead(302, { location: "https://other.example/robots.txt" }).end(),
  );
  assert.deepEqual(paths(await call<Crawl>(tool(), { url })), ["/"]);
});

test("a page that fails does not fail the others, and its reason is reported", async () => {
  robots("");
  const url = page("/", "/gone", "/zip", "/away", "/inside", "/fine");
  site.serve("/zip", "application/zip", "PK");
  site.answer("/away", (_request, response) =>
    response.writeHead(302, { location: "https://other.example/" }).end(),
  );
  site.answer("/inside", (_request, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
  );
  page("/fine");
  const crawl = await call<Crawl>(tool(), { url });
  assert.deepEqual(paths(crawl), ["/", "/fine"]);
  assert.deepEqual(
    crawl.failed.map(({ code }) => code),
    ["http_error", "unsupported_type", "redirects_elsewhere", "private_address"],
  );
  const text = await callForText(tool(), { url });
  assert.match(text, /Not read:\n- http.*\/gone: .*404 Not Found/);
});

test("a crawl ends if too many pages fail", async () => {
  robots("");
  const url = page("/", ...Array.from({ length: 50 }, (_, i) => `/missing/${i}`));
  const crawl = await call<Crawl>(tool(), { url, maxPages: 5 });
  assert.deepEqual([crawl.failed.length, crawl.stoppedBy, crawl.left], [19, "failures", 31]);
});

test("a crawl can start with the sitemaps of the site, and ignores those of other sites", async () => {
  const url = page("/");
  page("/listed");
  page("/other");
  robots(`Sitemap: http://${site.host}/index.xml\nSitemap: https://other.example/map.xml`);
  site.serve(
    "/index.xml",
    "application/xml",
    "<sitemapindex><sitemap><loc>/map.xml</loc></sitemap><sitemap><loc>/none.xml</loc></sitemap><sitemap><loc>/index.xml</loc></sitemap></sitemapindex>",
  );
  const listed = ["/listed", "/", "/other", "https://other.example/x", "/a.pdf.zip"];
  site.serve(
    "/map.xml",
    "application/xml",
    `<urlset>${listed.map((loc) => `<url><loc>${new URL(loc, url).href}</loc></url>`).join("")}</urlset>`,
  );
  const crawl = await call<Crawl>(tool(), { url, sitemap: true, depth: 0 });
  assert.deepEqual(paths(crawl), ["/", "/listed", "/other"]);
  assert.equal(site.requests.filter((path) => path === "/index.xml").length, 1);
});

test("a page to which another one redirects is read once", async () => {
  robots("");
  const url = page("/", "/old", "/new", "/home");
  const to = (path: string, location: string) =>
    site.answer(path, (_request, response) => response.writeHead(301, { location }).end());
  to("/old", "/new");
  to("/home", "/");
  page("/new");
  assert.deepEqual(paths(await call<Crawl>(tool(), { url })), ["/", "/new"]);
});

test("rules that deny hosts apply to each page, and private addresses are not crawled", async () => {
  robots("");
  const url = page("/");
  const denied = fakeContext({ denied: { hosts: [{ host: "127.0.0.1" }] } });
  assert.equal((await failure({ url }, denied)).code, "denied_host");
  assert.deepEqual(site.requests, []);
  for (const start of ["http://10.0.0.1/", "http://[::1]/"])
    assert.equal((await failure({ url: start })).code, "private_address");
  assert.equal((await failure({ url: "ftp://example.org/" })).code, "unsupported_scheme");
});

test("a crawl stops at once when its call is cancelled, even while it waits", async () => {
  robots("User-agent: *\nCrawl-delay: 60");
  const url = page("/", "/next");
  const controller = new AbortController();
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    after() {
      queueMicrotask(() => controller.abort(new Error("stopped")));
      return () => {};
    },
  };
  const context = fakeContext({ signal: controller.signal });
  await assert.rejects(call(tool({ clock }), { url }, context), /stopped/);
});

test("other tools read crawled pages without another request", async () => {
  robots("");
  const url = page("/", "/known");
  page("/known");
  const group = groupOf();
  await call(toolOf(group, "CrawlPages"), { url });
  const before = site.requests.length;
  const known = { url: `http://${site.host}/known`, keywords: ["text"] };
  await call(toolOf(group, "SearchInWebPage"), known);
  assert.equal(site.requests.length, before);
});

test("an approval of a crawl covers its site", () => {
  const { executionPolicy, grantScope } = tool().permission ?? {};
  assert.equal(executionPolicy, "ask-once");
  assert.deepEqual(grantScope?.({ url: "https://example.org/a" }), {
    when: { url: { site: "https://example.org" } },
    title: "pages of example.org",
  });
});
