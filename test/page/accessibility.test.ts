import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { assertQuiet, visit } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let capstan: Capstan;
let browser: Browser;
let axe: string;

before(async () => {
  if (skip !== false) return;
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const rules = [{ tool: "files.ViewFile", execution: "ask-always" }];
  capstan = await startCapstan({ files: { "notes.md": "# Notes" }, config: { rules } });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await capstan?.close();
});

const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Returns the rules of WCAG 2.2 AA that the page breaks, with the elements. */
async function problemsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (values) => {
    interface Found {
      readonly id: string;
      readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
    }
    const { axe: runner } = globalThis as unknown as {
      readonly axe: { run(options: object): Promise<{ readonly violations: readonly Found[] }> };
    };
    const { violations } = await runner.run({ runOnly: { type: "tag", values } });
    return violations.map(({ id, nodes }) => {
      const places = nodes
        .slice(0, 3)
        .map((node) => `${String(node.target)}: ${node.failureSummary}`);
      return `${id}: ${places.join(" | ")}`;
    });
  }, tags);
}

for (const colorScheme of ["light", "dark"] as const)
  test(`the main states of the page keep to WCAG 2.2 AA (${colorScheme})`, { skip }, async () => {
    const me = await visit(browser, capstan.url, { colorScheme });
    const { page } = me;
    const found: { [state: string]: readonly string[] } = {};
    const check = async (state: string) => {
      const problems = await problemsOf(page);
      if (problems.length > 0) found[state] = problems;
    };
    await page.getByTestId("starter").first().waitFor();
    await check("first page");
    await me.say('/ListFiles {"path":"."}\n/ViewFile {"path":"notes.md"}');
    await me.card("ViewFile").waitFor();
    await check("approval");
    await me.card("ViewFile").getByRole("button", { name: "Allow" }).first().click();
    await me.turnEnds();
    await me.row("ListFiles").getByTestId("call-toggle").click();
    await check("calls");
    for (const name of ["Tools", "Variables", "Permissions"] as const) {
      await me.openPanel(name);
      await check(name);
    }
    await page.getByTestId("close-panel").click();
    await page.getByTestId("model-picker").click();
    await page.getByTestId("model-search").waitFor();
    await check("models");
    await page.keyboard.press("Escape");
    await page.getByTestId("open-search").click();
    await check("search");
    await page.keyboard.press("Escape");
    await page.getByTestId("conversation-title").click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await check("shortcuts");
    await page.keyboard.press("Escape");
    await page.getByTestId("open-settings").click();
    const sections = page.getByRole("navigation", { name: "Sections" }).getByRole("button");
    await sections.first().waitFor();
    for (const section of await sections.all()) {
      await section.click();
      await check(`settings: ${await section.innerText()}`);
    }
    assert.deepEqual(found, {});
    assertQuiet(me);
    await me.leave();
  });

test("the page can be installed: its manifest and icons are served", { skip }, async () => {
  const response = await fetch(`${capstan.url}/manifest.webmanifest`);
  assert.match(response.headers.get("content-type") ?? "", /manifest\+json/);
  const { icons } = (await response.json()) as {
    readonly icons: readonly { readonly src: string; readonly sizes: string }[];
  };
  assert.ok(icons.some(({ sizes }) => sizes === "512x512"));
  for (const { src, sizes } of icons) {
    const icon = await fetch(new URL(src, capstan.url));
    assert.equal(icon.headers.get("content-type"), "image/png");
    const bytes = Buffer.from(await icon.arrayBuffer());
    assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes);
  }
});
