import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser } from "playwright-core";
import { createApi, spokenText } from "../api.ts";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { liveAnswer, type ModelServer, startModelServer } from "./model-server.ts";
import { eventually, visit, type Visitor } from "./visitor.ts";

// Tests the open page during a reload, and while the server stops, dies and starts again.

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
    files: { "notes.md": "Haul away." },
    config: { rules: [{ tool: "files.ViewFile", execution: "ask-always" }] },
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
  await capstan?.start();
  await me?.startOver();
});

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `word-${from + index} `).join("");
const reads = (text: string) =>
  eventually(async () => assert.equal((await me.answer()).trim(), text.trim()));
const conversation = () => me.page.url().split("/c/")[1] ?? assert.fail("no conversation");
const reconnecting = () => me.page.getByRole("status").getByText("Reconnecting…");
/** The texts of the conversation that the server stores. */
async function kept(): Promise<string> {
  const runs = await createApi(capstan.url).runs(conversation());
  return runs.map(({ events }) => spokenText(events)).join("\n");
}
const viewNotes = {
  type: "calls",
  calls: [{ name: "ViewFile", args: { path: "notes.md" } }],
} as const;

test("a reload during an answer continues it without lost or repeated text", { skip }, async () => {
  const live = liveAnswer();
  model.willSay(live.reply);
  await me.say("Tell me much");
  for (let step = 0; step < 3; step++) {
    live.say(words(step * 50, step * 50 + 50));
    if (step === 1) await reads(words(0, 100));
    await me.page.reload();
  }
  live.say(words(150, 200));
  await reads(words(0, 200));
  live.end();
  await me.turnEnds();
  await reads(words(0, 200));
  assert.equal((await kept()).trim(), words(0, 200).trim());
  assert.equal(await me.page.getByTestId("turn").count(), 1);
});

test("a server that shuts down gracefully completes the answer first", { skip }, async () => {
  const live = liveAnswer();
  model.willSay(live.reply);
  await me.say("One more");
  live.say(words(0, 10));
  await reads(words(0, 10));
  const stopped = capstan.stop();
  live.say(words(10, 20));
  live.end();
  await stopped;
  // The page learns of the answer's end from this server or from the next one.
  await capstan.start();
  await me.turnEnds();
  await reads(words(0, 20));
  assert.equal((await kept()).trim(), words(0, 20).trim());
});

test(
  "an answer that a stopping server cannot complete is started again by the next server",
  { skip },
  async () => {
    const live = liveAnswer();
    model.willSay(live.reply, { type: "text", text: words(0, 40) });
    await me.say("Take your time");
    live.say(words(0, 10));
    await reads(words(0, 10));
    await capstan.stop();
    live.end();
    await capstan.start();
    await me.chat.getByText("The model was cut off here and started again").waitFor();
    await me.turnEnds();
    await reads(words(0, 40));
    await me.page.reload();
    await reads(words(0, 40));
    assert.equal(await me.page.getByTestId("turn").count(), 1);
  },
);

test(
  "a card survives a restart with the page open, and can then be answered",
  { skip },
  async () => {
    model.willSay(viewNotes, { type: "text", text: "Read." });
    await me.say("Read my notes");
    await me.card("ViewFile").waitFor();
    await capstan.stop();
    await reconnecting().waitFor();
    assert.equal(await me.card("ViewFile").count(), 1);
    await capstan.start();
    await reconnecting().waitFor({ state: "detached" });
    await me
      .card("ViewFile")
      .getByRole("button", { name: /^Allow once/ })
      .click();
    await me.turnEnds();
    assert.equal(await me.answer(), "Read.");
  },
);

test("a card survives kill -9", { skip }, async () => {
  model.willSay(viewNotes, { type: "text", text: "Read." });
  await me.say("Read my notes");
  await me.card("ViewFile").waitFor();
  await capstan.kill();
  await capstan.start();
  await me.page.reload();
  await me
    .card("ViewFile")
    .getByRole("button", { name: /^Allow once/ })
    .click();
  await me.turnEnds();
  assert.equal(await me.answer(), "Read.");
});

test(
  "after kill -9 the page shows where the model started again, and the whole answer",
  { skip },
  async () => {
    const live = liveAnswer();
    model.willSay(live.reply, { type: "text", text: "Here is all of it." });
    await me.say("Tell me much");
    live.say(words(0, 30));
    await reads(words(0, 30));
    await capstan.kill();
    live.end();
    await reconnecting().waitFor();
    await capstan.start();
    await me.chat.getByText("The model was cut off here and started again").waitFor();
    await me.chat.getByText("Here is all of it.").waitFor();
    await me.turnEnds();
    assert.equal(await reconnecting().count(), 0);
    assert.equal(await me.page.getByTestId("user-message").count(), 1);
    await me.page.reload();
    await me.chat.getByText("Here is all of it.").waitFor();
    assert.equal(await me.page.getByTestId("turn").count(), 1);
  },
);

test("the stop button ends the turn at once, and the shown text stays", { skip }, async () => {
  const live = liveAnswer();
  model.willSay(live.reply);
  await me.say("Tell me much");
  live.say(words(0, 5));
  await reads(words(0, 5));
  await me.page.getByRole("button", { name: "Stop", exact: true }).click();
  await me.chat.getByText("You stopped this turn").waitFor();
  await me.turnEnds();
  live.end();
  await me.page.reload();
  await me.chat.getByText("You stopped this turn").waitFor();
  assert.match(await me.page.getByTestId("run").innerText(), /^word-0 word-1 word-2 word-3 word-4/);
});
