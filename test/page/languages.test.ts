import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { assertQuiet, visit } from "./visitor.ts";

// The page in other languages than English.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let capstan: Capstan;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  capstan = await startCapstan({
    files: { "notes.md": "# Notes\n\nHaul away." },
    config: { rules: [{ tool: "files.ViewFile", execution: "ask-always", reason: "…" }] },
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await capstan?.close();
});

const marked = (page: Page) =>
  page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);

/** Saves a picture for the developer who sets `PICTURES` to a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["PICTURES"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

for (const [name, viewport] of [
  ["desktop", { width: 1280, height: 800 }],
  ["360 px", { width: 360, height: 740 }],
] as const) {
  test(`a newcomer sends, approves and sets in Chinese (${name})`, { skip }, async () => {
    const me = await visit(browser, capstan.url, { locale: "zh-CN", viewport });
    const { page } = me;
    await page.getByRole("heading", { name: "今天想做点什么？" }).waitFor();
    assert.deepEqual(await marked(page), ["zh-Hans", "ltr"]);
    await page.getByRole("list", { name: "可以试试" }).getByRole("button").first().waitFor();
    await picture(page, `${name} welcome`);

    await me.say('/ListFiles {"path":"."}\n/ViewFile {"path":"notes.md"}');
    const card = page.getByRole("region", { name: "ViewFile 等待你批准" });
    await card.getByText("notes.md").waitFor();
    await picture(page, `${name} card`);
    await card.getByRole("button", { name: "允许一次" }).click();
    await me.turnEnds();
    assert.equal(await me.row("ViewFile").getAttribute("data-status"), "done");
    await me.row("ViewFile").getByText("完成").waitFor();
    await me.row("ListFiles").getByTestId("call-toggle").click();
    await me.row("ListFiles").getByRole("heading", { name: "模型看到的结果" }).waitFor();
    await picture(page, `${name} turn`);

    for (const panel of ["工具", "变量", "权限"]) {
      await page
        .getByRole("navigation", { name: "面板" })
        .getByRole("button", { name: panel })
        .click();
      await page.locator("aside.panel").getByRole("heading", { name: panel }).waitFor();
      await picture(page, `${name} ${panel}`);
      await page.getByRole("button", { name: "关闭面板" }).click();
    }
    if (viewport.width < 400) await page.getByRole("button", { name: "对话", exact: true }).click();
    await page.getByText("今天", { exact: true }).waitFor();
    await page.getByTestId("open-settings").click();
    const dialog = page.getByRole("dialog", { name: "设置" });
    await dialog.getByRole("radio", { name: "深色" }).check({ force: true });
    await dialog.getByRole("radio", { name: "专家" }).check({ force: true });
    for (const section of ["模型与密钥", "智能体", "工具", "用量", "数据", "通用"]) {
      await dialog.getByRole("button", { name: section, exact: true }).click();
      await dialog.getByRole("region", { name: section, exact: true }).waitFor();
      await picture(page, `${name} ${section}`);
    }
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
      0,
    );
    await page.keyboard.press("Escape");
    await me.row("ListFiles").getByTestId("call-tokens").waitFor({ state: "attached" });
    assertQuiet(me);
    await me.leave();
  });
}

test("the language changes without a reload, and the draft stays", { skip }, async () => {
  const me = await visit(browser, capstan.url);
  const { page } = me;
  await page.evaluate(() => Object.assign(window, { isFirstLoad: true }));
  await page.getByRole("textbox", { name: "Message" }).fill("Half a sentence");
  await page.getByTestId("open-settings").click();
  await page
    .getByRole("dialog", { name: "Settings" })
    .getByLabel("Language")
    .selectOption("简体中文");
  const dialog = page.getByRole("dialog", { name: "设置" });
  await dialog.getByRole("button", { name: "关闭设置" }).click();
  await page.getByRole("button", { name: "新对话" }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "消息" }).inputValue(), "Half a sentence");
  assert.equal(await page.evaluate(() => "isFirstLoad" in window), true);
  assert.deepEqual(await marked(page), ["zh-Hans", "ltr"]);

  await page.reload();
  await page.getByRole("textbox", { name: "消息" }).waitFor();
  await page.getByTestId("open-settings").click();
  await dialog.getByLabel("语言").selectOption("跟随浏览器");
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  assert.deepEqual(await marked(page), ["en", "ltr"]);
  assertQuiet(me);
  await me.leave();
});

test(
  "if the texts cannot be loaded, the page keeps its language and reports it",
  { skip },
  async () => {
    const me = await visit(browser, capstan.url);
    const { page } = me;
    await page.route(/\/assets\/catalogue-/, (route) => route.abort());
    await page.getByTestId("open-settings").click();
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByLabel("Language").selectOption("简体中文");
    await page.getByText("The language was not changed").waitFor();
    assert.deepEqual(await marked(page), ["en", "ltr"]);
    assert.equal(await dialog.getByLabel("Language").inputValue(), "");
    assertQuiet(me, /Failed to load resource|net::ERR_FAILED/);
    await me.leave();
  },
);

test(
  "a Chinese browser without the Chinese texts shows the page in English",
  { skip },
  async () => {
    const context = await browser.newContext({ locale: "zh-CN" });
    await context.route(/\/assets\/catalogue-/, (route) => route.abort());
    const page = await context.newPage();
    await page.goto(capstan.url);
    await page.getByRole("heading", { name: "What would you like to do?" }).waitFor();
    assert.deepEqual(await marked(page), ["en", ""]);
    await context.close();
  },
);
