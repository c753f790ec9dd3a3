import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type LocalSite, startLocalSite } from "./local-site.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

// Calls that need approval, in the page and with a model that reads the outcome.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let site: LocalSite;
let model: ModelServer;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  [site, model] = await Promise.all([
    startLocalSite({ "/one": "<p>The first page.</p>", "/two": "<p>The second page.</p>" }),
    startModelServer(["deckhand"]),
  ]);
  capstan = await startCapstan({
    files: { "notes.md": "Haul away.", "other.md": "Belay." },
    config: {
      web: { allowPrivateHosts: [site.host] },
      rules: [{ tool: "files.ViewFile", execution: "ask-always", reason: "Files are private." }],
    },
    environment: { CAPSTAN_MODEL_URL: model.url },
  });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await Promise.all([capstan?.close(), site?.close(), model?.close()]);
});
beforeEach(async () => {
  model?.forget();
  await me?.startOver();
});

const view = (path: string) => ({ name: "ViewFile", args: { path } });
const fetchPage = (path: string) => ({ name: "FetchWebPage", args: { url: site.url + path } });
const button = (card: ReturnType<Visitor["card"]>, name: string | RegExp) =>
  card.getByRole("button", { name });
/** The results of the calls that the model read last. */
const told = () =>
  model.requests
    .at(-1)!
    .messages.filter(({ role }) => role === "tool")
    .map(({ content }) => String(content));

test(
  "a rule's card shows the arguments and the reason; allowed, the call runs",
  { skip },
  async () => {
    const asked = model.requests.length + 1;
    model.willSay({ type: "calls", calls: [view("notes.md")] }, { type: "text", text: "Read." });
    await me.say("Read my notes");
    const card = me.card("ViewFile");
    await card.waitFor();
    const text = await card.innerText();
    assert.match(text, /path\s+notes\.md/);
    assert.match(text, /Files are private\./);
    assert.equal(model.requests.length, asked, "the model waits");
    await button(card, /^Allow once/).click();
    await me.turnEnds();
    assert.match(told()[0] ?? "", /Haul away\./);
    assert.equal(await me.answer(), "Read.");
    assert.equal(await me.row("ViewFile").getAttribute("data-status"), "done");
  },
);

test("several cards are open at once, and each is answered on its own", { skip }, async () => {
  model.willSay(
    { type: "calls", calls: [view("notes.md"), fetchPage("/one"), view("other.md")] },
    { type: "text", text: "All told." },
  );
  await me.say("Three things, please");
  const cards = me.page.getByRole("region", { name: /needs your approval$/ });
  await cards.nth(2).waitFor();
  await me.page.getByRole("button", { name: /3 calls need your approval/ }).waitFor();
  // The last card is answered first.
  await button(cards.nth(2), /^Allow once/).click();
  await eventually(async () => assert.equal(await cards.count(), 2));
  await button(me.card("FetchWebPage"), /^Allow once/).click();
  await eventually(async () => assert.equal(await cards.count(), 1));
  const reason = me.card("ViewFile").getByRole("textbox", { name: /^Reason for rejecting/ });
  await reason.fill("These are my own notes.");
  await button(me.card("ViewFile"), /^Reject/).click();
  await me.turnEnds();
  const [notes, page, other] = told();
  assert.match(notes ?? "", /denied[^]*These are my own notes\./);
  assert.doesNotMatch(notes ?? "", /Haul away/);
  assert.match(page ?? "", /The first page\./);
  assert.match(other ?? "", /Belay\./);
  const rows = me.page.locator("[data-testid=call-row][data-tool=ViewFile]");
  assert.equal(await rows.first().getAttribute("data-status"), "refused");
  assert.equal(await rows.last().getAttribute("data-status"), "done");
});

test("a grant for the session is listed, applies, and can be revoked", { skip }, async () => {
  model.willSay({ type: "calls", calls: [fetchPage("/one")] }, { type: "text", text: "One." });
  await me.say("The first page");
  const card = me.card("FetchWebPage");
  assert.match(await card.innerText(), new RegExp(`pages of ${site.host}`));
  await button(card, /^Allow for this session/).click();
  await me.turnEnds();
  model.willSay({ type: "calls", calls: [fetchPage("/two")] }, { type: "text", text: "Two." });
  await me.say("The second page");
  await me.turnEnds();
  assert.match(told().at(-1) ?? "", /The second page/);
  const panel = await me.openPanel("Permissions");
  await panel.getByText(`pages of ${site.host}`).waitFor();
  await panel.getByRole("button", { name: /^Revoke/ }).click();
  await panel.getByText(/^No saved approvals/).waitFor();
  model.willSay({ type: "calls", calls: [fetchPage("/two")] }, { type: "text", text: "Again." });
  await me.say("The second page once more");
  await button(card, /^Allow once/).click();
  await me.turnEnds();
  assert.equal(await me.answer(), "Again.");
});

test("an error in a wider answer's pattern is shown at its field", { skip }, async () => {
  model.willSay({ type: "calls", calls: [fetchPage("/one")] }, { type: "text", text: "One." });
  await me.say("A page, with a pattern");
  const card = me.card("FetchWebPage");
  await card.getByText("Allow more than this call…").click();
  await card.getByLabel("Which calls").selectOption("pattern");
  const pattern = card.getByRole("textbox", { name: /^Pattern/ });
  const described = async () => {
    const id = await pattern.getAttribute("aria-describedby");
    return id === null ? "" : card.locator(`#${id}`).innerText();
  };
  for (const [text, message] of [
    ['{"url":', /This is not JSON/],
    ['{"url": {"hots": "x"}}', /^Is not a known field\. Did you mean host\?/],
    ['{"url": {"host": "elsewhere.example"}}', /does not cover the requested call/],
  ] as const) {
    await pattern.fill(text);
    await card.locator("[data-testid=approval-allow-wider]:enabled").click();
    await eventually(async () => assert.match(await described(), message));
  }
  assert.equal(await card.getByTestId("approval-error").count(), 0);
  await button(card, /^Allow once/).click();
  await me.turnEnds();
});

test("arguments can be edited before the call runs", { skip }, async () => {
  model.willSay({ type: "calls", calls: [view("notes.md")] }, { type: "text", text: "Read." });
  await me.say("Read a file");
  const card = me.card("ViewFile");
  await button(card, "Edit").click();
  const field = card.getByRole("textbox", { name: "Arguments as JSON" });
  await field.fill('{"file": "other.md"}');
  await button(card, "Run with your edits").click();
  await card.getByRole("alert").getByText(/path/).waitFor();
  await field.fill('{"path": "other.md"}');
  await button(card, "Run with your edits").click();
  await me.turnEnds();
  assert.match(told()[0] ?? "", /Belay\./);
  await me.row("ViewFile").getByTestId("call-toggle").click();
  assert.match(await me.row("ViewFile").getByTestId("call-arguments").innerText(), /other\.md/);
});

test("Escape in an edited card only ends the edit", { skip }, async () => {
  model.willSay(
    { type: "calls", calls: [view("notes.md"), view("other.md")] },
    { type: "text", text: "Both read." },
  );
  await me.say("Two files");
  const cards = me.page.getByRole("region", { name: /needs your approval$/ });
  const card = cards.nth(1);
  const field = card.getByRole("textbox", { name: "Arguments as JSON" });
  const reason = card.getByRole("textbox", { name: /^Reason for rejecting/ });
  const hasFocus = (place: typeof field) =>
    place.evaluate((element) => element === document.activeElement);
  for (const place of [null, button(card, "Discard edits"), reason, card]) {
    await button(card, "Edit").click();
    await eventually(async () => assert.ok(await hasFocus(field), "Edit leads into its field"));
    await place?.focus();
    await me.page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await eventually(async () => assert.ok(await hasFocus(button(card, "Edit"))));
  }
  // The focus also returns if the pressed button is disabled for a moment.
  await button(card, "Edit").click();
  await field.fill('{"file": "other.md"}');
  await button(card, "Run with your edits").click();
  await card.getByRole("alert").waitFor();
  await me.page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await button(card, /^Allow once/).click();
  await button(cards.first(), /^Allow once/).click();
  await me.turnEnds();
  assert.equal(await me.answer(), "Both read.");
  assert.match(told()[1] ?? "", /Belay\./);
});

test("keys answer the card that shows the key hints", { skip }, async () => {
  model.willSay(
    { type: "calls", calls: [view("notes.md"), view("other.md"), view("notes.md")] },
    { type: "text", text: "Three read." },
  );
  await me.say("Three files");
  const cards = me.page.getByRole("region", { name: /needs your approval$/ });
  await cards.nth(2).waitFor();
  const shown = (expected: readonly number[], why = "hints of a card") =>
    eventually(async () => {
      for (const [index, hints] of expected.entries()) {
        const card = cards.nth(index);
        assert.equal(await card.locator("kbd:visible").count(), hints, why);
        assert.equal(await card.locator("[aria-keyshortcuts]").count(), hints, why);
      }
    });
  await shown([3, 0, 0], "nothing has the focus: the keys apply to the first card");
  await cards.nth(1).getByText("other.md").click();
  await shown([0, 3, 0]);
  await me.page.getByRole("textbox", { name: "Message", exact: true }).focus();
  await shown([3, 0, 0]);
  await cards.nth(1).focus();
  await me.page.locator("[data-testid=approval-allow-once]:enabled").nth(2).waitFor();
  await me.page.keyboard.press("Alt+KeyA");
  await eventually(async () => assert.equal(await cards.count(), 2));
  assert.equal(await me.chat.getByRole("region").getByText("other.md").count(), 0);
  await shown([3, 0, 0]);
  for (const left of [1, 0]) {
    await me.page.locator("[data-testid=approval-allow-once]:enabled").first().waitFor();
    await me.page.keyboard.press("Alt+KeyA");
    await eventually(async () => assert.equal(await cards.count(), left));
  }
  await me.turnEnds();
  assert.equal(await me.answer(), "Three read.");
});

test("a card is shown again after a reload, and can be answered there", { skip }, async () => {
  model.willSay({ type: "calls", calls: [view("notes.md")] }, { type: "text", text: "Read." });
  await me.say("Read my notes");
  await me.card("ViewFile").waitFor();
  await me.page.reload();
  await button(me.card("ViewFile"), /^Allow once/).click();
  await me.turnEnds();
  assert.equal(await me.answer(), "Read.");
  assert.equal(await me.page.getByTestId("turn").count(), 1);
});

test("a card answered in one window disappears in the other", { skip }, async () => {
  model.willSay({ type: "calls", calls: [view("notes.md")] }, { type: "text", text: "Read." });
  await me.say("Read my notes");
  await me.card("ViewFile").waitFor();
  const other = await visit(browser, me.page.url().replace(/\/#/, "/#"));
  await button(other.card("ViewFile"), /^Allow once/).click();
  await me.turnEnds();
  await other.turnEnds();
  assert.equal(await other.answer(), "Read.");
  assert.equal(await me.card("ViewFile").count(), 0);
  await other.leave();
});

test(
  "a user can send, allow, deny with a reason and open the variables by keyboard alone",
  { skip },
  async () => {
    const { page } = me;
    const { keyboard } = page;
    model.willSay(
      { type: "calls", calls: [view("notes.md"), view("other.md")] },
      { type: "text", text: "As you wish." },
    );
    await page.locator("body").press("Tab");
    await page.getByRole("link", { name: /Skip to the message field/ }).press("Enter");
    await keyboard.type("Both files, please");
    await page.getByRole("button", { name: "Send" }).and(page.locator(":enabled")).waitFor();
    await keyboard.press("Enter");
    const cards = page.getByRole("region", { name: /needs your approval$/ });
    await cards.nth(1).waitFor();
    // Not all of the cards are in view.
    await page.setViewportSize({ width: 1280, height: 480 });
    await page.getByRole("button", { name: /calls need your approval/ }).press("Enter");
    await page.setViewportSize({ width: 1280, height: 800 });
    // The card has the focus; its first button is one Tab away, and is disabled for a moment.
    await page.locator("[data-testid=approval-allow-once]:enabled").first().waitFor();
    await keyboard.press("Tab");
    await keyboard.press("Enter");
    await eventually(async () => assert.equal(await cards.count(), 1));
    await page.locator("[data-testid=approval-allow-once]:enabled").waitFor();
    await keyboard.press("Alt+KeyR");
    await keyboard.type("Not that one.");
    await keyboard.press("Enter");
    await me.turnEnds();
    assert.match(told()[0] ?? "", /Haul away/);
    assert.match(told()[1] ?? "", /Not that one\./);
    // Keyboard users go from the field back to the panels with Shift+Tab.
    const label = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
    for (let press = 0; press < 40 && (await label()) !== "Variables"; press++)
      await keyboard.press("Shift+Tab");
    await keyboard.press("Enter");
    const item = me
      .panel("Variables")
      .getByRole("button", { name: /^ViewFile/ })
      .first();
    await item.press("Enter");
    await me
      .panel("Variables")
      .getByRole("region", { name: /^Value of/ })
      .waitFor();
    await keyboard.press("Escape");
    await me.panel("Variables").waitFor({ state: "detached" });
  },
);

test("the page logged no errors in all these tests", { skip }, () => {
  // The browser reports the rejected edit itself.
  assertQuiet(me, /status of 400/);
});
