import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { assertQuiet, eventually, visit } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let capstan: Capstan;
let model: ModelServer;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  model = await startModelServer(["small-1", "large-1"]);
  // 100 tokens in and 20 out are 0.0005.
  const prices = { "custom/small-1": { input: 3, output: 10 } };
  capstan = await startCapstan({ config: { prices } });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await capstan?.close();
  await model?.close();
});

test("a newcomer adds a model, and sees what its answers cost", { skip }, async () => {
  const me = await visit(browser, capstan.url);
  const { page } = me;
  await page.getByRole("button", { name: "Add a model" }).click();
  const dialog = page.getByRole("dialog", { name: "Settings" });
  const custom = dialog.locator("[data-provider=custom]");
  await custom.getByRole("button", { name: "Add" }).click();
  await custom.getByLabel("Base URL").fill("http://127.0.0.1:1/v1");
  await custom.getByRole("button", { name: "Try and save" }).click();
  await custom.getByText("Nothing was stored").waitFor();
  await custom.getByLabel("Base URL").fill(model.url);
  await custom.getByLabel("API key").fill("sk-canary");
  await custom.getByLabel("Default model").fill("small-1");
  await custom.getByRole("button", { name: "Try and save" }).click();
  await custom.getByText("Key stored").waitFor();
  await dialog.getByTestId("current-model").getByText("small-1").waitFor();
  assert.doesNotMatch(await page.content(), /sk-canary/);
  await dialog.getByRole("button", { name: "Close the settings" }).click();

  model.willSay({ type: "text", text: "Ahoy." });
  await me.say("Hello");
  await me.turnEnds();
  await page.getByTestId("turn-numbers").getByText("cost: 0.0005").waitFor();
  await page.getByTestId("open-settings").click();
  assert.doesNotMatch(await me.chat.innerText(), /tokens/);
  await dialog.getByRole("radio", { name: "Expert" }).check({ force: true });
  await page.getByTestId("turn-numbers").getByText("model: 100 tokens in, 20 out").waitFor();

  await dialog.getByRole("radio", { name: "Dark" }).check({ force: true });
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
  await dialog.getByRole("radio", { name: "System" }).check({ force: true });
  assert.equal(await page.evaluate(() => document.documentElement.dataset["theme"]), undefined);

  await dialog.getByRole("button", { name: "Usage" }).click();
  const row = dialog.getByTestId("usage-model");
  assert.match(await row.innerText(), /custom\/small-1\s+1\s+100\s+20\s+0\.0005/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  assertQuiet(me, /400 \(Bad Request\)/);
  await me.leave();
});

test(
  "a user creates an agent, chooses it, and sets what new chats begin with",
  { skip },
  async () => {
    const me = await visit(browser, capstan.url);
    const { page } = me;
    await page.getByTestId("open-settings").click();
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByRole("textbox", { name: "Instructions for all chats" }).fill("Be brief.");
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByRole("button", { name: "Tools" }).click();
    await dialog.getByRole("switch", { name: "Web" }).uncheck({ force: true });
    await dialog.getByRole("button", { name: "Agents" }).click();
    await dialog.getByRole("button", { name: "New agent" }).click();
    await dialog.getByLabel("Name").fill("Ship's cook");
    await dialog.getByLabel("Model").selectOption("custom/large-1");
    await dialog.getByLabel("Instructions").fill("Answer with a recipe.");
    await dialog.getByLabel("Temperature").fill("0.3");
    await dialog.getByLabel("The tools that are on in the chat").uncheck();
    await dialog.getByLabel("Todo").check();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await dialog.getByTestId("agent").getByText("custom/large-1 · 1 tool group").waitFor();
    await page.keyboard.press("Escape");

    const picker = page.getByTestId("model-picker");
    await picker.click();
    await page.getByTestId("model-search").fill("cook");
    await page.getByRole("button", { name: "Favorite: Ship's cook" }).click();
    await page.getByTestId("model-search").press("Enter");
    model.willSay({ type: "text", text: "Soup." });
    await me.say("Dinner?");
    await me.turnEnds();
    const asked = model.requests.at(-1);
    assert.equal(asked?.model, "large-1");
    assert.equal((asked as { temperature?: number } | undefined)?.temperature, 0.3);
    const told = JSON.stringify(asked?.messages);
    assert.ok(
      told.indexOf("Answer with a recipe.") < told.indexOf("Be brief."),
      told.slice(0, 400),
    );
    assert.ok(told.includes("Answer with a recipe."));
    const offered = asked?.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(offered.includes("AddTodos") && !offered.includes("ListFiles"), offered.join());

    // The chat keeps its model, and a new chat has its own.
    await picker.click();
    await page.locator('[data-testid=model-option][data-model="custom/small-1"]').click();
    await page.reload();
    await page.getByText("Soup.").waitFor();
    assert.match(await picker.innerText(), /small-1/);
    await me.startOver();
    assert.match(await picker.innerText(), /Ship's cook/);
    await picker.click();
    assert.match(await page.getByTestId("model-option").first().innerText(), /Ship's cook/);
    await page.keyboard.press("Escape");
    await me.openPanel("Tools");
    const web = me.panel("Tools").locator("[data-group=web]").getByTestId("group-switch");
    assert.equal(await web.isChecked(), false);
    assertQuiet(me);
    await me.leave();
  },
);

test("an import shows chats that can be continued, and can be undone", { skip }, async () => {
  const me = await visit(browser, capstan.url);
  const { page } = me;
  const long = "A long answer. ".repeat(3_000);
  const texts = ["What is a capstan?", long, "And **why**?", "For ropes."];
  const nodes = texts.map((text, index) => [
    `n${index}`,
    {
      parent: index === 0 ? null : `n${index - 1}`,
      message: {
        author: { role: index % 2 === 0 ? "user" : "assistant" },
        content: { content_type: "text", parts: [text] },
      },
    },
  ]);
  const chat = { title: "Old ropes", current_node: "n3", mapping: Object.fromEntries(nodes) };
  await page.getByTestId("open-settings").click();
  const dialog = page.getByRole("dialog", { name: "Settings" });
  await dialog.getByTestId("settings-data").click();
  await dialog.getByTestId("retention").getByText("until you delete them").waitFor();
  const file = (content: string) => ({
    name: "conversations.json",
    mimeType: "application/json",
    buffer: Buffer.from(content),
  });
  await dialog.getByTestId("import-file").setInputFiles(file("[1]"));
  await dialog.getByText("is not an export of ChatGPT").waitFor();
  await dialog.getByTestId("import-file").setInputFiles(file(JSON.stringify([chat])));
  await dialog.getByText("1 chat of ChatGPT imported.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByTestId("conversation-list").getByText("Old ropes").click();
  await page.getByText("For ropes.").waitFor();
  await eventually(async () =>
    assert.equal(
      (await page.getByTestId("added-answer").first().innerText()).length > 40_000,
      true,
    ),
  );
  model.willSay({ type: "text", text: "Because of friction." });
  await me.say("How does it hold?");
  await me.turnEnds();
  const asked = JSON.stringify(model.requests.at(-1)?.messages);
  assert.ok(asked.includes("And **why**?") && asked.includes("For ropes."), asked.slice(0, 300));
  // The message can be changed: its new version follows the imported messages, too.
  await page.getByTestId("edit-message").click();
  await page.getByTestId("edit-field").fill("How does it work?");
  model.willSay({ type: "text", text: "With a drum." });
  await page.getByTestId("send-edited").click();
  await page.getByTestId("answer").getByText("With a drum.").waitFor();
  assert.ok(JSON.stringify(model.requests.at(-1)?.messages).includes("For ropes."));
  await page.getByText("For ropes.").waitFor();
  await page.reload();
  await page.getByTestId("answer").getByText("With a drum.").waitFor();
  await page.getByText("For ropes.").waitFor();

  await page.getByTestId("open-settings").click();
  await dialog.getByTestId("settings-data").click();
  await dialog.getByTestId("undo-import").click();
  await dialog.getByText("1 imported chat deleted.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByTestId("conversation-list").getByText("Old ropes").waitFor({ state: "detached" });
  assertQuiet(me);
  await me.leave();
});

test("at 360 px no section of the settings overflows", { skip }, async () => {
  const me = await visit(browser, capstan.url, { viewport: { width: 360, height: 740 } });
  const { page } = me;
  await page.getByRole("button", { name: "Conversations" }).click();
  await page.getByTestId("open-settings").click();
  const dialog = page.getByRole("dialog", { name: "Settings" });
  const links = dialog.getByRole("navigation", { name: "Sections" }).getByRole("button");
  await links.first().waitFor();
  for (const link of await links.all()) {
    await link.click();
    const body = dialog.locator(".settings-body");
    const overflow = await body.evaluate((element) => element.scrollWidth - element.clientWidth);
    assert.equal(overflow, 0, await link.innerText());
  }
  assertQuiet(me);
  await me.leave();
});
