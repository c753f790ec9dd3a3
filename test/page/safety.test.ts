import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type LocalSite, startLocalSite } from "./local-site.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { assertQuiet, visit, type Visitor } from "./visitor.ts";

// Text from models, tools, files and users is only shown. URLs in it point to a site that counts
// requests.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let site: LocalSite;
let model: ModelServer;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

/** Code that runs sets a global name; elements that load make a request to the site. */
const hostile = (origin: string) => `<script>owned=1</script>
<img src="${origin}/pixel.png" onerror="owned=1">
<svg onload="owned=1"><image href="${origin}/svg.png"/></svg>
<iframe src="${origin}/frame"></iframe><link rel="stylesheet" href="${origin}/style.css">
<style>body{background:url(${origin}/background.png)}</style>
<video poster="${origin}/poster.png" src="${origin}/video.mp4"></video>
<form action="${origin}/form"><button autofocus>Send</button></form>
<a href="javascript:owned=1">run me</a>
<details open ontoggle="owned=1">details</details>

![alt](${origin}/markdown.png) [link](javascript:owned=1)

[harmless](https://example.org/)`;

before(async () => {
  if (skip !== false) return;
  [site, model] = await Promise.all([startLocalSite({}), startModelServer(["deckhand"])]);
  capstan = await startCapstan({
    files: { "hostile.html": hostile(site.url) },
    config: { rules: [{ tool: "basic.Text", execution: "ask-always", reason: "<b>why</b>" }] },
    environment: { CAPSTAN_MODEL_URL: model.url },
  });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await Promise.all([capstan?.close(), site?.close(), model?.close()]);
});

async function assertHarmless(): Promise<void> {
  await me.page.waitForTimeout(100);
  assert.equal(await me.page.evaluate(() => "owned" in window), false);
  assert.deepEqual(site.requests, []);
  assertQuiet(me);
}

test("an answer with scripts and pictures runs and loads nothing", { skip }, async () => {
  model.willSay({ type: "text", text: hostile(site.url) });
  await me.say(`Say ${hostile(site.url)}`);
  await me.turnEnds();
  const answer = me.page.getByTestId("answer");
  assert.equal(await answer.locator("script, img, svg, iframe, style, form, video").count(), 0);
  const link = answer.getByRole("link", { name: "harmless" });
  assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  for (const name of ["run me", "link"])
    assert.equal(await answer.getByRole("link", { name, exact: true }).count(), 0);
  await assertHarmless();
});

test("neither do a tool's arguments, its card, its result and its variable", { skip }, async () => {
  model.willSay(
    {
      type: "calls",
      calls: [
        { name: "ViewFile", args: { path: "hostile.html" } },
        { name: "Text", args: { operation: "count", text: hostile(site.url) } },
      ],
    },
    { type: "text", text: "Done." },
  );
  await me.say("Read it");
  const card = me.card("Text");
  await card.getByText("<b>why</b>").waitFor();
  await card.getByRole("button", { name: /^Show everything/ }).click();
  assert.equal(await card.locator("script, img, iframe").count(), 0);
  await card.getByRole("button", { name: /^Allow once/ }).click();
  await me.turnEnds();
  for (const tool of ["ViewFile", "Text"]) await me.row(tool).getByTestId("call-toggle").click();
  await me
    .row("ViewFile")
    .getByRole("button", { name: /Open the full value/ })
    .click();
  const value = me.panel("Variables").getByRole("region", { name: /^Value of/ });
  await value.getByText("<script>").waitFor();
  assert.equal(await value.locator("script, img, iframe").count(), 0);
  await assertHarmless();
});

test("neither does a title", { skip }, async () => {
  const { page } = me;
  await page.locator(".conversation.active").hover();
  await page
    .locator(".conversation.active")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  const field = page.getByRole("textbox", { name: "Title of the conversation" });
  await field.fill(`<img src=${site.url}/title.png onerror="owned=1">`);
  await field.press("Enter");
  await page.getByRole("heading", { level: 1, name: /^<img/ }).waitFor();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: /^<img/ }).waitFor();
  await assertHarmless();
});

test("the tab's title shows bidirectional characters as code points", { skip }, async () => {
  const { page } = me;
  await page.locator(".conversation.active").hover();
  await page
    .locator(".conversation.active")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  const field = page.getByRole("textbox", { name: "Title of the conversation" });
  await field.fill("Bank \u202Egnp");
  await field.press("Enter");
  await page.waitForFunction(() => document.title.includes("Bank ⟨U+202E⟩gnp"));
});

test("the page is sent with a policy that would refuse it all", { skip }, async () => {
  const response = await fetch(capstan.url);
  const policy = response.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.match(policy, /frame-ancestors 'none'/);
});
