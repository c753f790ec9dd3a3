import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isToolError, type Tool, ToolExecutor, type ToolErrorData } from "@capstan/core";
import { call, callForText, fakeContext, toolOf } from "@capstan/core/testing";
import { startWebSite, type WebSite } from "./testing/web-site.ts";
import { webTools } from "./web-tools.ts";

let site: WebSite;
before(async () => {
  site = await startWebSite();
});
after(() => site.close());

const tools = () => webTools({ allowPrivateHosts: [site.host] });
const tool = (name: string, group = tools()) => toolOf(group, name);

async function failure(tool: Tool, args: object, context = fakeContext()): Promise<ToolErrorData> {
  const result = await call(tool, { ...args }, context);
  assert.ok(isToolError(result), JSON.stringify(result).slice(0, 300));
  return result;
}

const guide = `<html><head><title>Guide</title></head><body><nav>Timeouts are in the menu</nav>
<main><h1>Guide</h1><p>The first paragraph.</p><p>A timeout of 30 s ends a request.</p>
<p>Another paragraph.</p><p>Set retry to 3 after a TIMEOUT.</p><p>The last paragraph.</p></main></body></html>`;

test("a search in a page returns each matching line with the lines around it", async () => {
  const url = site.serve("/guide", "text/html", guide);
  const found = await call(tool("SearchInWebPage"), { url, keywords: ["timeout"] });
  assert.deepEqual(found, {
    url,
    contentType: "text/html",
    title: "Guide",
    searched: '"timeout"',
    matches: 2,
    shown: 2,
    excerpts: [
      {
        page: 1,
        line: 3,
        text: "The first paragraph.\nA timeout of 30 s ends a request.\nAnother paragraph.\nSet retry to 3 after a TIMEOUT.\nThe last paragraph.",
      },
    ],
  });
  const all = { url, keywords: ["timeout", "retry"], join: "all", context: 0 };
  const text = await callForText(tool("SearchInWebPage"), all);
  assert.match(text, /1 line with "timeout" and "retry"\.\n\n\[page 1, line 7\]\nSet retry .*\.$/);
  const none = await callForText(tool("SearchInWebPage"), { url, keywords: ["retries"] });
  assert.match(none, /"retries" is not on the page\.$/);
  const whole = await call(tool("SearchInWebPage"), { url, keywords: ["menu"], whole: true });
  assert.equal((whole as { matches: number }).matches, 1);
});

test("the output of a search is limited, and counts the matches that it omits", async () => {
  const lines = Array.from(
    { length: 3_000 },
    (_, i) => `tide ${i}${" wave".repeat(i === 1 ? 2_000 : 1)}\n\n`,
  );
  const url = site.serve("/tides.txt", "text/plain", lines.join("").repeat(3));
  const args = { url, keywords: ["tide"], context: 0, limit: 5 };
  const text = await callForText(tool("SearchInWebPage"), args);
  assert.match(text, /9,000 lines with "tide"\. The first 5:[^]*tide 1 [^\n]{780,800}…\n/);
  assert.ok(text.length < 2_000, String(text.length));
});

test("a pattern is matched in linear time; one that RE2 lacks is an error with advice", async () => {
  const url = site.serve("/a.txt", "text/plain", `${"a".repeat(100_000)}\nv1.2 and v1.3\nV2.0 b\n`);
  const slow = { url, pattern: "^(a+)+$" };
  assert.equal((await call<{ matches: number }>(tool("SearchInWebPage"), slow)).matches, 1);
  const versions = await call(tool("SearchInWebPage"), {
    url,
    pattern: "^v\\d\\.\\d",
    ignoreCase: false,
    context: 0,
  });
  assert.deepEqual((versions as { excerpts: unknown }).excerpts, [
    { page: 15, line: 2, text: "v1.2 and v1.3" },
  ]);
  const look = await failure(tool("SearchInWebPage"), { url, pattern: "(?=a)b" });
  assert.equal(look.code, "invalid_pattern");
  assert.match(look.message, /lookahead/);
});

test("a search needs keywords or a pattern, and not both", async () => {
  const url = "https://example.org/";
  const problems = async (args: object) => tool("SearchInWebPage").check?.({ url, ...args });
  assert.match(String(await problems({})), /keywords or pattern/);
  assert.match(String(await problems({ keywords: ["a"], pattern: "b" })), /not both/);
  assert.deepEqual(await problems({ keywords: ["a"] }), []);
});

test("the tools share a page that was just fetched, and FetchWebPage fetches it again", async () => {
  const url = site.serve("/shared", "text/html", guide);
  const group = tools();
  const count = () => site.requests.filter((path) => path === "/shared").length;
  await call(tool("FetchWebPage", group), { url });
  await call(tool("SearchInWebPage", group), { url, keywords: ["timeout"] });
  await call(tool("ExtractHTML", group), { url, selector: "p" });
  await call(tool("InspectDOMStructure", group), { url });
  await call(tool("FetchWebPage", group), { url, page: 1 });
  assert.equal(count(), 1);
  await call(tool("FetchWebPage", group), { url });
  assert.equal(count(), 2);
});

test("a page that was just fetched is not read from the cache for callers whose rules deny its host", async () => {
  const url = site.serve("/kept", "text/html", guide);
  const group = tools();
  await call(tool("FetchWebPage", group), { url });
  const denied = () => fakeContext({ denied: { hosts: [{ host: "127.0.0.1" }] } });
  for (const [name, args] of [
    ["SearchInWebPage", { url, keywords: ["a"] }],
    ["ExtractHTML", { url, selector: "p" }],
    ["InspectDOMStructure", { url }],
  ] as const)
    assert.equal((await failure(tool(name, group), args, denied())).code, "denied_host", name);
});

test("each tool needs one approval for a site, and rejects private addresses and redirects to them", async () => {
  const door = site.answer("/door", (_request, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  );
  for (const [name, args] of [
    ["SearchInWebPage", { keywords: ["a"] }],
    ["ExtractHTML", { selector: "p" }],
    ["InspectDOMStructure", {}],
  ] as const) {
    const each = tool(name);
    assert.equal(each.permission?.executionPolicy, "ask-once");
    assert.deepEqual(each.permission.grantScope?.({ url: "https://example.org/a", ...args }).when, {
      url: { site: "https://example.org" },
    });
    for (const url of [door, "http://10.0.0.1/", "http://[::1]/"])
      assert.equal((await failure(each, { url, ...args })).code, "private_address", name);
  }
});

test("an approval for a site covers all tools that read pages, and no other site", async () => {
  const asked: string[] = [];
  const executor = new ToolExecutor({
    approvals: {
      request: ({ toolName, grant }) => {
        asked.push(`${toolName} | ${grant?.title}`);
        return { decision: "allow", scope: "session" };
      },
    },
  });
  executor.registerToolGroup(tools());
  executor.toggleGroupEnabled("web", true);
  const url = site.serve("/shared", "text/html", "<main><p>One</p></main>");
  for (const [name, args] of [
    ["SearchInWebPage", { keywords: ["One"] }],
    ["FetchWebPage", {}],
    ["ExtractHTML", { selector: "p" }],
    ["InspectDOMStructure", {}],
    ["CrawlPages", { maxPages: 1 }],
  ] as const)
    assert.equal((await executor.execute(name, { url, ...args })).status, "success", name);
  const { host } = new URL(url);
  assert.deepEqual(asked, [
    `SearchInWebPage | SearchInWebPage, FetchWebPage, ExtractHTML, InspectDOMStructure, CrawlPages: pages of ${host} (unencrypted)`,
  ]);
  await executor.execute("FetchWebPage", { url: "http://10.0.0.1/" });
  assert.equal(asked.length, 2);
});

const prices = `<html><head><title>Prices</title></head><body><nav><a href="/a">A</a><a href="b?x=1">B</a></nav>
<table class="prices" id="p"><tbody>${Array.from({ length: 30 }, (_, i) => `<tr><td>Item ${i}</td><td data-cents="${i}">${i} €</td></tr>`).join("")}</tbody></table>
<script type="application/ld+json">{"@type": "Offer"}</script></body></html>`;

test("elements are returned with their text and attributes, links are absolute", async () => {
  const url = site.serve("/prices/", "text/html", prices);
  const links = await call(tool("ExtractHTML"), { url, selector: "nav a", attributes: ["href"] });
  assert.deepEqual(links, {
    url,
    selector: "nav a",
    title: "Prices",
    matches: 2,
    elements: [
      { number: 1, tag: "a", attributes: { href: `http://${site.host}/a` }, text: "A" },
      { number: 2, tag: "a", attributes: { href: `${url}b?x=1` }, text: "B" },
    ],
  });
  const cells = { url, selector: "td[data-cents]", skip: 28, limit: 5 };
  const text = await callForText(tool("ExtractHTML"), cells);
  assert.match(
    text,
    /30 matches of td\[data-cents\], here 29 to 30:\n\n29\. <td data-cents="28"> 28 €/,
  );
  const begin = await callForText(tool("ExtractHTML"), { url, selector: "tr", limit: 2 });
  assert.match(begin, /\n1\. <tr> Item 0 0 €\n/);
  const data = await callForText(tool("ExtractHTML"), { url, selector: "script" });
  assert.match(data, /<script type="application\/ld\+json"> \{"@type": "Offer"\}$/);
  assert.match(begin, /here 1 to 2:[^]*\[Read on with skip 2\.\]$/);
  const none = await callForText(tool("ExtractHTML"), { url, selector: "h6" });
  assert.match(none, /No element matches h6\. InspectDOMStructure/);
});

test("an element that is longer than the limit is truncated, not dropped", async () => {
  const url = site.serve("/prices/", "text/html", prices);
  const args = { url, selector: "table", source: true, length: 100 };
  const { elements } = await call<{ elements: { html: string; cutFrom: number }[] }>(
    tool("ExtractHTML"),
    args,
  );
  assert.equal(elements[0]?.html.length, 100);
  assert.match(elements[0].html, /^<table class="prices" id="p">/);
  assert.ok(elements[0].cutFrom > 1_000);
  assert.match(
    await callForText(tool("ExtractHTML"), args),
    /\[truncated, of \d+ characters\]\n```html/,
  );
});

test("an invalid selector, and an address without HTML, are errors with advice", async () => {
  const url = site.serve("/prices/", "text/html", prices);
  for (const selector of ["td[", "p:nope(", "a >> b"])
    assert.equal((await failure(tool("ExtractHTML"), { url, selector })).code, "invalid_selector");
  const json = site.serve("/x.json", "application/json", "{}");
  const error = await failure(tool("InspectDOMStructure"), { url: json });
  assert.equal(error.code, "not_html");
  assert.match(error.message, /FetchWebPage/);
});

test("a page with too many elements, or a hostile one, is read within the limits of time and memory", async () => {
  const rows = "<tr><td>x</td></tr>".repeat(60_000);
  const url = site.serve("/rows", "text/html", `<html><body><table>${rows}</table></body></html>`);
  const text = await callForText(tool("ExtractHTML"), { url, selector: "td", limit: 1 });
  assert.match(text, /more than 50,000 elements\. Only its beginning was read\./);
  const deep = site.serve("/deep", "text/html", `<html><body>${"<div>".repeat(20_000)}core`);
  assert.match(await callForText(tool("InspectDOMStructure"), { url: deep }), /1 match of body/);
});

const layout = `<html><head><title>Shop</title></head><body>
<header><nav aria-label="Main"><ul class="menu">${"<li class=item><a href=/x>Link</a></li>".repeat(12)}</ul></nav></header>
<main id="content"><h1>Shop</h1><section class="a b c d e f"><div><div><div><div><p>Deep text</p></div></div></div></div></section></main>
<aside><h2>News</h2></aside><div role="search"><form><input></form></div><footer>Foot</footer></body></html>`;

test("the structure of a page has landmarks, tags, ids and classes, without repetitions", async () => {
  const url = site.serve("/shop", "text/html", layout);
  assert.equal(
    await callForText(tool("InspectDOMStructure"), { url, depth: 3 }),
    `# Shop
Source: ${url}

Landmarks:
- banner: body > header
- navigation: body > header > nav "Main"
- main: #content "Shop"
- complementary: body > aside "News"
- search: body > div
- form: body > div > form
- contentinfo: body > footer

1 match of body:
body
  header
    nav [label=Main]
      ul.menu "Link Link Link Link Link Link Link Link Link Link Link Link" (12 children)
  main#content
    h1 "Shop"
    section.a.b.c.d…
      div "Deep text" (1 child)
  aside
    h2 "News"
  div [role=search]
    form
      input
  footer "Foot"`,
  );
  const menu = await callForText(tool("InspectDOMStructure"), { url, selector: "ul", text: false });
  assert.match(menu, /1 match of ul:\nul\.menu\n {2}li\.item × 12\n {4}a$/);
});

test("an outline is limited, and shows an element within another match only once", async () => {
  const url = site.serve("/shop", "text/html", layout);
  const args = { url, selector: "div", depth: 10, text: false };
  const nested = await callForText(tool("InspectDOMStructure"), args);
  assert.match(nested, /5 matches of div:\ndiv\n {2}div\n {4}div\n {6}div\n {8}p\ndiv \[role/);
  const cut = await callForText(tool("InspectDOMStructure"), { ...args, limit: 2 });
  assert.match(cut, /div:\ndiv\n {2}div\n\[More elements are not shown/);
  const schema = tool("InspectDOMStructure").definition.function.parameters;
  assert.equal(
    (schema as { properties: { depth: { maximum: number } } }).properties.depth.maximum,
    10,
  );
});
