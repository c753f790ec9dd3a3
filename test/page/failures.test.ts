import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type ModelServer, type Reply, startModelServer } from "./model-server.ts";
import { eventually, visit, type Visitor } from "./visitor.ts";

// Tests each way in which a model can fail: the page shows the failure, and a click tries again.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let model: ModelServer;
let capstan: Capstan;
let browser: Browser;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  model = await startModelServer(["deckhand", "bosun"]);
  capstan = await startCapstan({
    files: { "notes.md": "Haul away." },
    environment: { CAPSTAN_MODEL_URL: model.url, CAPSTAN_MODEL: "deckhand" },
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

interface Case {
  readonly name: string;
  readonly reply: Reply;
  readonly title: RegExp;
  readonly detail: RegExp;
}

const cases: readonly Case[] = [
  {
    name: "a wrong key",
    reply: {
      type: "error",
      status: 401,
      error: { message: "Incorrect API key provided.", code: "invalid_api_key" },
    },
    title: /does not accept the key/,
    detail: /CAPSTAN_MODEL_KEY/,
  },
  {
    name: "a rate limit",
    reply: {
      type: "error",
      status: 429,
      error: { message: "Rate limit reached." },
      headers: { "retry-after": "45" },
    },
    title: /rate limit was reached/,
    detail: /suggests waiting 45/,
  },
  {
    name: "a full context",
    reply: {
      type: "error",
      status: 400,
      error: {
        message: "This model's maximum context length is 4096 tokens.",
        code: "context_length_exceeded",
      },
    },
    title: /too long for this model/,
    detail: /4096/,
  },
  {
    name: "a lost connection",
    reply: { type: "cut", text: "I was about to say" },
    title: /could not be reached/,
    detail: /Completed calls are not run again/,
  },
];

for (const { name, reply, title, detail } of cases) {
  test(`${name} is shown, and a click tries again without losing the turn`, { skip }, async () => {
    model.willSay(
      { type: "calls", calls: [{ name: "ViewFile", args: { path: "notes.md" } }] },
      reply,
    );
    const { page } = me;
    await me.say("Read my notes");
    const failure = page.getByRole("alert").filter({ hasText: title });
    await failure.getByText(detail).first().waitFor();
    const before = model.requests.length;
    model.willSay({ type: "text", text: "The user says: haul away." });
    await failure.getByRole("button", { name: "Try again" }).click();
    await me.chat.getByText("The user says: haul away.").waitFor();
    await me.turnEnds();
    assert.equal(await page.getByTestId("user-message").count(), 1);
    assert.equal(await page.getByTestId("call-row").count(), 1, "the call does not run again");
    assert.equal(model.requests.length, before + 1);
    const told = model.requests.at(-1)!.messages.map(({ content }) => JSON.stringify(content));
    assert.ok(
      told.some((text) => text?.includes("Haul away")),
      "its result is there",
    );
    await page.reload();
    await me.chat.getByText("The user says: haul away.").waitFor();
  });
}

test(
  "a limit that ended a turn's calls is shown below them, also after a reload",
  { skip },
  async () => {
    const again: Reply = { type: "calls", calls: [{ name: "Nobody", args: { n: 1 } }] };
    model.willSay(again, again, again, { type: "text", text: "I give up." });
    await me.say("Ask nobody");
    await me.turnEnds();
    const notice = me.page.getByTestId("ended-early");
    const words = /Nobody failed 3 times with the same arguments\. .*without more tools/;
    assert.match(await notice.innerText(), words);
    await me.page.reload();
    await notice.waitFor();
    assert.match(await notice.innerText(), words);
  },
);

test("the server itself retries a short failure", { skip }, async () => {
  const busy: Reply = { type: "error", status: 503, error: { message: "overloaded" } };
  model.willSay(busy, { type: "text", text: "There." });
  await me.say("Are you there?");
  await me.turnEnds();
  assert.equal(await me.answer(), "There.");
});

test("the page stores the selected model, including the offline model", { skip }, async () => {
  const { page } = me;
  const picker = page.getByTestId("model-picker");
  const choose = async (id: string) => {
    await picker.click();
    await page.locator(`[data-testid=model-option][data-model="${id}"]`).click();
  };
  assert.match(await picker.innerText(), /deckhand/);
  await choose("custom/bosun");
  model.willSay({ type: "text", text: "Aye." });
  await me.say("Who are you?");
  await me.turnEnds();
  assert.equal(model.requests.at(-1)?.model, "bosun");
  await page.reload();
  await eventually(async () =>
    assert.equal(await picker.getAttribute("data-model"), "custom/bosun"),
  );
  await choose("capstan/offline");
  await me.say("And you?");
  await me.turnEnds();
  assert.match(await me.answer(), /no AI/);
  await choose("custom/deckhand");
});

test(
  "a group or a tool that is switched off is not offered, and not called",
  { skip },
  async () => {
    const { page } = me;
    const panel = await me.openPanel("Tools");
    await panel.getByRole("switch", { name: "Web", exact: true }).press("Space");
    await panel.getByRole("switch", { name: "ViewFile", exact: true }).press("Space");
    model.willSay(
      { type: "calls", calls: [{ name: "ViewFile", args: { path: "notes.md" } }] },
      { type: "text", text: "I cannot." },
    );
    await me.say("Read my notes");
    await me.turnEnds();
    const names = model.requests.at(-2)?.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(names.includes("ListFiles"), names.join());
    assert.ok(!names.includes("FetchWebPage") && !names.includes("ViewFile"), names.join());
    assert.equal(await me.row("ViewFile").getAttribute("data-status"), "not_found");
    assert.doesNotMatch(JSON.stringify(model.requests.at(-1)?.messages), /Haul away/);
    await page.reload();
    await me.openPanel("Tools");
    const web = panel.getByRole("switch", { name: "Web", exact: true });
    await web.waitFor();
    // The switches stay with the conversation.
    await eventually(async () => assert.equal(await web.isChecked(), false));
    await web.press("Space");
    await panel.getByRole("switch", { name: "ViewFile", exact: true }).press("Space");
    model.willSay({ type: "text", text: "Now I could." });
    await me.say("And now?");
    await me.turnEnds();
    const later = model.requests.at(-1)?.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(later.includes("FetchWebPage") && later.includes("ViewFile"), later.join());
  },
);
