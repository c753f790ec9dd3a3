import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

// Tests in the page that a user reviews a result before the model reads it.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let model: ModelServer;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  model = await startModelServer(["deckhand"]);
  capstan = await startCapstan({
    files: { "notes.md": "The password is tulip.\nHaul away." },
    config: { rules: [{ tool: "files.ViewFile", result: "always", reason: "Files are private." }] },
    environment: { CAPSTAN_MODEL_URL: model.url },
  });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await Promise.all([capstan?.close(), model?.close()]);
});
beforeEach(async () => {
  model?.forget();
  await me?.startOver();
});

const cardOf = ({ page }: Visitor) =>
  page.getByRole("region", { name: "The result of ViewFile needs your approval" });

/** A turn whose file waits for a reviewer. */
async function view(): Promise<ReturnType<typeof cardOf>> {
  model.willSay(
    { type: "calls", calls: [{ name: "ViewFile", args: { path: "notes.md" } }] },
    { type: "text", text: "Read." },
  );
  await me.say("Read my notes");
  const card = cardOf(me);
  await card.getByLabel("Result", { exact: true }).waitFor();
  return card;
}

/** The results of the calls that the model read last. */
const told = () =>
  String(model.requests.at(-1)!.messages.findLast(({ role }) => role === "tool")?.content);

test(
  "a result is shown with the reason, words are removed with a preview, and all open pages are updated",
  { skip },
  async () => {
    const asked = model.requests.length + 1;
    const card = await view();
    assert.match(await card.innerText(), /Files are private\./);
    assert.match(
      await card.getByLabel("Result", { exact: true }).innerText(),
      /The password is tulip\./,
    );
    const other = await visit(browser, me.page.url());
    await cardOf(other).waitFor();
    assert.equal(model.requests.length, asked, "the model waits");

    await card.getByRole("button", { name: /^Redact/ }).click();
    const word = card.getByRole("textbox", { name: /^Words to remove/ });
    await word.fill("Tulpe");
    await word.press("Enter");
    await card
      .getByRole("alert")
      .getByText(/does not contain "Tulpe"/)
      .waitFor();
    await word.fill("tulip");
    await word.press("Enter");
    await card.getByText("The password is [redacted].").waitFor();
    await card.getByRole("button", { name: /^Release without these words/ }).click();
    await me.turnEnds();
    assert.match(told(), /The password is \[redacted\]\./);
    await cardOf(other).waitFor({ state: "detached" });
    const row = me.row("ViewFile");
    assert.match(await row.innerText(), /done, result redacted/);
    await row.getByRole("button", { expanded: false }).first().click();
    await row.getByText("Words were removed from the result by you.").waitFor();
    assert.doesNotMatch(await me.chat.innerText(), /tulip/);
    await other.leave();
  },
);

test(
  "a result can be withheld with a reason, or replaced, by keyboard alone",
  { skip },
  async () => {
    const card = await view();
    const { keyboard } = me.page;
    // A card that has just appeared takes no answer for a moment.
    const withhold = card.getByRole("button", { name: /^Withhold/ });
    await eventually(async () => assert.equal(await withhold.isEnabled(), true));
    await keyboard.press("Alt+r");
    await keyboard.type("My own notes.");
    await keyboard.press("Alt+r");
    await me.turnEnds();
    assert.match(told(), /withheld from you: My own notes\./);
    assert.equal(await me.row("ViewFile").getAttribute("data-status"), "withheld");

    await view();
    await keyboard.press("Alt+p");
    await keyboard.type("Nothing of note.");
    await eventually(async () => assert.equal(await withhold.isEnabled(), true));
    await keyboard.press("Alt+a");
    await me.turnEnds();
    assert.match(told(), /^Nothing of note\./);
    assertQuiet(me, /400/);
  },
);

test("selected words of a result are removed", { skip }, async () => {
  const card = await view();
  await card.getByRole("button", { name: /^Redact/ }).click();
  await card.getByLabel("Result", { exact: true }).evaluate((element) => {
    const text = element.firstChild as Text;
    const start = text.data.indexOf("password");
    document.getSelection()?.setBaseAndExtent(text, start, text, start + "password".length);
  });
  await card.getByRole("button", { name: "Remove selection" }).click();
  await card.getByText("The [redacted] is tulip.").waitFor();
  await card.getByRole("button", { name: "Keep password" }).click();
  await card.getByRole("button", { name: /^Redact/ }).click();
  await card.getByRole("button", { name: /^Release/ }).click();
  await me.turnEnds();
  assert.match(told(), /The password is tulip\./);
});
