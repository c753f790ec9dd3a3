import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type LocalSite, startLocalSite } from "./local-site.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let site: LocalSite;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  site = await startLocalSite({});
  capstan = await startCapstan({ config: { web: { allowPrivateHosts: [site.host] } } });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await Promise.all([capstan?.close(), site?.close()]);
});

// Contract: variables-15, variables-62
test("a user adds a variable, and a call uses it", { skip }, async () => {
  const panel = await me.openPanel("Variables");
  await panel.getByRole("button", { name: "Add" }).click();
  await panel.getByRole("textbox", { name: "Name", exact: true }).fill("cargo");
  await panel.getByRole("textbox", { name: "Value", exact: true }).fill("rope\ntar\ntimber");
  await panel.getByLabel("Description").fill("What we carry");
  await panel.getByLabel("Tags, separated by commas").fill("hold, wet");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByText("$VAR_REF{{cargo}}").waitFor();
  await me.say('/Text {"operation":"count","text":"$VAR_REF{{cargo}}"}');
  await me.turnEnds();
  await me.row("Text").getByTestId("call-toggle").click();
  assert.match(await me.row("Text").getByTestId("call-arguments").innerText(), /tar\ntimber/);
  await panel.getByText("used 1 time").waitFor();
});

// Contract: variables-61
test("a click on a tag lists its variables", { skip }, async () => {
  const panel = me.panel("Variables");
  await panel.getByRole("button", { name: "wet" }).click();
  await panel.locator("[data-name=Text_1]").waitFor({ state: "detached" });
  await eventually(async () =>
    assert.equal(await panel.getByTestId("variable-item").count(), 1, "cargo alone"),
  );
  await panel.getByRole("button", { name: "Show all" }).click();
  await panel.locator("[data-name=Text_1]").waitFor();
  await panel.getByRole("button", { name: /cargo yours/ }).click();
});

// Contract: variables-6, variables-61
test("it is edited and pinned, and found again by search", { skip }, async () => {
  const panel = me.panel("Variables");
  await panel.getByRole("button", { name: "Edit" }).click();
  // Escape closes only the form; the panel stays.
  await panel.getByRole("textbox", { name: "Value", exact: true }).press("Escape");
  await panel.getByRole("button", { name: "Edit" }).click();
  await panel.getByRole("textbox", { name: "Value", exact: true }).fill("salt");
  await panel.getByRole("button", { name: "Save" }).click();
  await panel.getByRole("region", { name: "Value of cargo" }).getByText("salt").waitFor();
  await panel.getByTestId("variable-pin").click();
  await panel.getByText("Kept", { exact: true }).waitFor();
  await panel.getByRole("button", { name: "All variables" }).click();
  await panel.getByRole("searchbox", { name: "Search variables" }).fill("carg");
  await panel.locator("[data-name=Text_1_args]").waitFor({ state: "detached" });
  await panel.locator("[data-name=cargo]").waitFor();
  await panel.getByRole("searchbox", { name: "Search variables" }).fill("");
  await me.page.reload();
  await me.openPanel("Variables");
  const item = panel.locator("[data-name=cargo]");
  await item.locator("[title=Kept]").waitFor();
  await item.getByText("What we carry").waitFor();
});

// Contract: variables-63
test("it is deleted, restored, and deleted permanently", { skip }, async () => {
  const panel = me.panel("Variables");
  const item = panel.locator("[data-name=cargo]");
  const remove = item.getByRole("button", { name: "Delete cargo" });
  await remove.click();
  await item.waitFor({ state: "detached" });
  await me.page.getByTestId("toast").getByRole("button", { name: "Undo" }).click();
  await item.waitFor();
  await item.getByRole("button", { name: /cargo yours/ }).click();
  await panel.getByRole("region", { name: "Value of cargo" }).getByText("salt").waitFor();
  await panel.getByRole("button", { name: "All variables" }).click();
  await remove.click();
  await item.waitFor({ state: "detached" });
  await me.say('/ReadVar {"name":"cargo"}');
  await me.turnEnds();
  assert.equal(await me.row("ReadVar").getAttribute("data-status"), "failed");
});

test("one call is stopped while its sibling and the turn continue", { skip }, async () => {
  await me.say(`/FetchWebPage {"url":"${site.url}/slow"}\n/FetchWebPage {"url":"${site.url}/x"}`);
  const cards = me.page.getByRole("region", { name: "FetchWebPage needs your approval" });
  await cards
    .first()
    .getByRole("button", { name: /^Allow for this session/ })
    .click();
  // This approval also covers the other call, which is for the same site.
  await me.page.getByRole("button", { name: "Stop FetchWebPage" }).first().click();
  await me.turnEnds();
  const rows = me.page.locator("[data-testid=call-row][data-tool=FetchWebPage]");
  assert.equal(await rows.first().getAttribute("data-status"), "cancelled");
  assert.notEqual(await rows.last().getAttribute("data-status"), "cancelled");
  assert.match(await me.answer(), /2 calls were made/);
});

test("the page logged no errors in all these tests", { skip }, () => assertQuiet(me));
