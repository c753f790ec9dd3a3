import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "./browser.ts";
import { type Capstan, startCapstan } from "./page/capstan.ts";
import { type LocalSite, startLocalSite } from "./page/local-site.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./page/visitor.ts";

// The path of a newcomer, from the first start to a stored conversation. Each test continues the
// one before, in one browser, with one server without keys.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

const logbook = Array.from({ length: 900 }, (_, line) => `Day ${line + 1}: wind, rope, sea.`);

let site: LocalSite;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  site = await startLocalSite({ "/harbour": "<title>Harbour</title><p>Ships lie here.</p>" });
  capstan = await startCapstan({
    files: { "logbook.txt": logbook.join("\n"), "notes.md": "# Notes\n\nHaul away." },
    config: { web: { allowPrivateHosts: [site.host] } },
  });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await capstan?.close();
  await site?.close();
});

test(
  "the first start prints its address, its model with the reason, and its data directory",
  { skip },
  () => {
    const said = capstan.output();
    assert.match(said, new RegExp(`address +${capstan.url}`));
    assert.match(said, /model +capstan\/offline \(none of .*OPENAI_API_KEY.* is set\)/);
    assert.ok(said.includes(`data     ${capstan.data}`), said);
  },
);

test("the page introduces itself in two lines and suggests three prompts", { skip }, async () => {
  const { page } = me;
  const things = page.getByRole("list", { name: "Things to try" }).getByRole("button");
  await things.first().waitFor();
  const lines = (await page.locator(".welcome-text").innerText()).split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /gives a language model tools and keeps you in control/);
  assert.match(lines[1] ?? "", /not an AI/);
  assert.equal(await things.count(), 3);
});

for (const [index, tools] of [["ListFiles"], ["ListFiles", "DateTime", "ListVars"], []].entries()) {
  test(`suggested prompt ${index + 1} runs after a click`, { skip }, async () => {
    const { page } = me;
    await page.getByRole("button", { name: "New chat" }).click();
    const things = page.getByRole("list", { name: "Things to try" }).getByRole("button");
    await things.nth(index).click();
    await me.turnEnds();
    for (const tool of tools) {
      assert.equal(await me.row(tool).getAttribute("data-status"), "done", tool);
    }
    const answer = await me.answer();
    if (tools.length === 0) assert.match(answer, /\$VAR_REF\{\{[\s\S]*Enabled tools/);
    if (tools[0] === "ListFiles") assert.match(answer, /logbook\.txt/);
  });
}

test(
  "a plain message is answered by the offline model, which lists the tools",
  { skip },
  async () => {
    await me.say("Good morning");
    await me.turnEnds();
    const answer = await me.answer();
    assert.match(answer, /no AI/);
    for (const tool of ["ListFiles", "FetchWebPage", "ReadVar", "DateTime"])
      assert.ok(answer.includes(tool), tool);
  },
);

test("several lines are parallel calls of one turn", { skip }, async () => {
  const { page } = me;
  await me.say(`/FetchWebPage {"url":"${site.url}/slow"}\n/ViewFile {"path":"notes.md"}`);
  await me.card("FetchWebPage").getByRole("button", { name: "Allow for this session" }).click();
  await me.row("FetchWebPage").and(page.locator("[data-status=running]")).waitFor();
  // The second call ends while the first one still runs.
  await me.row("ViewFile").and(page.locator("[data-status=done]")).waitFor();
  const elapsed = () => me.row("FetchWebPage").getByTestId("call-time").innerText();
  const earlier = await elapsed();
  await page.waitForFunction(
    (before) =>
      document.querySelector("[data-tool=FetchWebPage] [data-testid=call-time]")?.textContent !==
      before,
    earlier,
  );
  site.release();
  await me.turnEnds();
  assert.equal(await me.row("FetchWebPage").getAttribute("data-status"), "done");
  assert.match(await me.answer(), /2 calls were made[\s\S]*At last[\s\S]*Haul away/);
});

test("each call and turn shows its time, and its tokens in expert mode", { skip }, async () => {
  const row = me.row("ViewFile");
  assert.match(await row.getByTestId("call-time").innerText(), /\d ?(ms|s)$/);
  assert.doesNotMatch(await me.chat.innerText(), /tok/);
  await me.page.getByTestId("open-settings").click();
  const dialog = me.page.getByRole("dialog", { name: "Settings" });
  await dialog.getByRole("radio", { name: "Expert" }).check({ force: true });
  await me.page.keyboard.press("Escape");
  await row.getByTestId("call-tokens").waitFor();
  assert.match(await row.getByTestId("call-tokens").innerText(), /^\d+\s*tok/);
  const numbers = await me.page.getByTestId("turn-numbers").last().innerText();
  assert.match(numbers, /\d ?(ms|s)/);
  assert.match(numbers, /2 calls/);
  assert.match(numbers, /\d+ tokens shown, 0 omitted/);
});

test(
  "a long result is truncated for the model and stored in full as a variable",
  { skip },
  async () => {
    const { page } = me;
    await me.say('/ViewFile {"path":"logbook.txt"}');
    await me.turnEnds();
    const row = me.row("ViewFile");
    assert.match(await row.getByTestId("call-tokens").innerText(), /\+[\d,]+ omitted/);
    await row.getByTestId("call-toggle").click();
    const shown = await row.getByTestId("call-result").innerText();
    assert.match(shown, /characters omitted/);
    assert.ok(shown.length < 9_000, String(shown.length));
    await row.getByRole("button", { name: /Open the full value/ }).click();
    const value = me.panel("Variables").getByRole("region", { name: /^Value of / });
    await value.getByText("Day 1: wind").waitFor();
    await page.getByTestId("variable-more").scrollIntoViewIfNeeded();
    await value.getByText("Day 900: wind").waitFor();
    for (const day of [450, 899]) assert.ok((await value.innerText()).includes(`Day ${day}: `));
  },
);

test("a reference passes the full value to another call without the model", { skip }, async () => {
  const name = (await me.panel("Variables").getByRole("heading", { level: 3 }).innerText()).trim();
  await me.say(`/Text {"operation":"count","text":"$VAR_REF{{${name}}}"}`);
  await me.turnEnds();
  assert.equal(await me.row("Text").getAttribute("data-status"), "done");
  const row = me.row("Text");
  await row.getByTestId("call-toggle").click();
  assert.match(await row.getByTestId("call-arguments").innerText(), /Day 450: wind/);
  assert.match(await me.answer(), /\b900\b/);
});

test("a second message continues the conversation", { skip }, async () => {
  await me.say("And what did I write before?");
  await me.turnEnds();
  assert.match(await me.answer(), /The previous one was “\/Text/);
  assert.ok((await me.page.getByTestId("turn").count()) >= 5);
});

test("conversations are listed, renamed, opened and deleted", { skip }, async () => {
  const { page } = me;
  const list = page.getByRole("navigation", { name: "Conversation list" });
  const links = (count: number) =>
    eventually(async () => assert.equal(await list.getByRole("link").count(), count));
  await links(3);
  const turns = await page.getByTestId("turn").count();
  await page.locator(".conversation.active").hover();
  const actions = { name: /^Actions for/ };
  await page.locator(".conversation.active").getByRole("button", actions).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Title of the conversation" }).fill("The log");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The log", level: 1 }).waitFor();
  await list.getByRole("link").last().click();
  await page.getByRole("heading", { name: "The log", level: 1 }).waitFor({ state: "detached" });
  await list.getByRole("link", { name: "The log" }).click();
  await page.getByRole("heading", { name: "The log", level: 1 }).waitFor();
  await page
    .getByTestId("turn")
    .nth(turns - 1)
    .waitFor();
  const other = list.getByRole("listitem").last();
  const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
  await other.hover();
  await other.getByRole("button", actions).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page
    .getByTestId("toast")
    .getByText(/[Dd]eleted/)
    .waitFor();
  await links(2);
  // The deletion can be undone until the toast disappears.
  await page.getByRole("button", { name: "Dismiss" }).click();
  await deleted;
  await page.reload();
  await links(2);
  await page
    .getByTestId("turn")
    .nth(turns - 1)
    .waitFor();
});

test("the page logged no errors in all these tests", { skip }, () => assertQuiet(me));
