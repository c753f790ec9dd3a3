import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

// A server dies during a call, and the user reports the outcome.

const found = findBrowser();
const isConfined = spawnSync("bwrap", ["--version"]).status === 0;
const skip =
  found.status === "missing" ? found.reason : isConfined ? false : "no bubblewrap (bwrap) on PATH";

let model: ModelServer;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  model = await startModelServer(["deckhand"]);
  capstan = await startCapstan({
    config: {
      groups: { code: true },
      code: { write: true },
      rules: [{ tool: "code.Shell", execution: "auto" }],
    },
    environment: { CAPSTAN_MODEL_URL: model.url },
  });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await Promise.all([capstan?.close(), model?.close()]);
});

const begun = () => access(join(capstan.folder, "begun"));
const card = () => me.page.getByRole("region", { name: "Shell: did it happen?" });

// Contract: durability-13
test(
  "a call that a dead server left is asked about; the first word counts, and the model reads it",
  { skip },
  async () => {
    const command = "touch begun; sleep 1000";
    model.willSay({ type: "calls", calls: [{ name: "Shell", args: { command } }] });
    await me.say("Wait for me");
    await eventually(begun);
    await capstan.kill();
    model.willSay({ type: "text", text: "I cannot tell." });
    await capstan.start();
    await me.turnEnds();
    await card().waitFor();
    const row = me.row("Shell");
    assert.equal(await row.getAttribute("data-status"), "outcome_unknown");
    assert.match(await row.innerText(), /\? s/);
    assert.match(await card().innerText(), /sleep 1000/);

    // Another window shows the card too, and updates it when the user returns to that window.
    const other = await visit(browser, me.page.url());
    const there = other.page.getByTestId("outcome-card");
    await there.waitFor();
    // The panel of everything that waits leads to the chat, and forgets the call once it is answered.
    await other.page.getByTestId("open-inbox").click();
    const listed = other.page.getByTestId("inbox-unknown");
    await listed.getByRole("link", { name: "Report the outcome" }).waitFor();
    await card().getByRole("textbox", { name: "Note for the model" }).fill("the file is there");
    await card()
      .getByRole("button", { name: /^It happened/ })
      .click();
    await card().waitFor({ state: "detached" });
    await listed.waitFor({ state: "detached" });
    const said = "Your answer: it happened (the file is there).";
    assert.equal((await me.page.getByTestId("outcome-found").innerText()).trim(), said);
    await there.getByRole("button", { name: /^It did not/ }).click();
    await there.waitFor({ state: "detached" });
    assert.equal((await other.page.getByTestId("outcome-found").innerText()).trim(), said);
    await other.leave();

    await me.page.reload();
    await me.page.getByText(said).waitFor();
    assert.equal(await card().count(), 0);
    model.willSay({ type: "text", text: "Good." });
    await me.say("Well?");
    await me.turnEnds();
    assert.match(JSON.stringify(model.requests.at(-1)), /it did happen.*the file is there/);
    assertQuiet(me, /ERR_|Failed to load/);
  },
);

test("a bar above the message field mentions a card that is out of view", { skip }, async () => {
  await me.startOver();
  const args = { command: "touch begun2; sleep 1000" };
  model.willSay({ type: "calls", calls: [{ name: "Shell", args }] });
  await me.say("Again");
  await eventually(() => access(join(capstan.folder, "begun2")));
  await capstan.kill();
  model.willSay({ type: "text", text: "line  \n".repeat(200) });
  await capstan.start();
  await me.turnEnds();
  const bar = me.page.getByTestId("approval-bar");
  await bar.waitFor();
  await bar.click();
  await bar.waitFor({ state: "detached" });
  assert.equal(await card().evaluate((element) => element === document.activeElement), true);
  // A card that has just appeared takes no answer for a moment.
  await card().locator('[data-testid="outcome-did-not-happen"]:enabled').waitFor();
  await me.page.keyboard.press("Alt+KeyN");
  await me.page.getByText("Your answer: it did not happen.").waitFor();
});
