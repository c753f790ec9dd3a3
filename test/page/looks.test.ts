import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { assertQuiet, visit } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let capstan: Capstan;
let browser: Browser;

before(async () => {
  if (skip !== false) return;
  const long = "a-file-with-a-name-that-does-not-want-to-break-anywhere-".repeat(3);
  capstan = await startCapstan({
    files: { [`${long}.txt`]: "x".repeat(20_000), "notes.md": "# Notes" },
    config: { rules: [{ tool: "files.ViewFile", execution: "ask-always" }] },
  });
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await capstan?.close();
});

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
const colours = (page: Page) =>
  page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.body);
    return { color, backgroundColor };
  });

test("at 360 px nothing overflows, whichever panel is open", { skip }, async () => {
  const me = await visit(browser, capstan.url, { viewport: { width: 360, height: 740 } });
  const { page } = me;
  const fits = async (what: string) => assert.equal(await overflow(page), 0, what);
  await page.getByTestId("starter").first().waitFor();
  await fits("the first page");
  await me.say('/ListFiles {"path":"."}\n/ViewFile {"path":"notes.md"}');
  await me.card("ViewFile").waitFor();
  await fits("a card");
  await me.card("ViewFile").getByRole("button", { name: "Edit" }).click();
  await fits("a card that is edited");
  await me.card("ViewFile").getByRole("button", { name: "Run with your edits" }).click();
  await me.turnEnds();
  await me.row("ListFiles").getByTestId("call-toggle").click();
  await fits("a call's details");
  for (const name of ["Tools", "Variables", "Permissions"] as const) {
    const panel = await me.openPanel(name);
    await fits(name);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
  }
  await page.getByRole("button", { name: "Conversations" }).click();
  await page.getByRole("button", { name: "New chat" }).waitFor();
  await fits("the list of conversations");
  await page.keyboard.press("Escape");
  assertQuiet(me);
  await me.leave();
});

test(
  "the page is dark if the system is, until the user chooses; the choice is kept",
  { skip },
  async () => {
    const me = await visit(browser, capstan.url, { colorScheme: "dark" });
    const dark = await colours(me.page);
    await me.page.getByRole("button", { name: "Switch to the light theme" }).click();
    const light = await colours(me.page);
    assert.ok(brightness(dark.backgroundColor) < 80 && brightness(dark.color) > 170, "dark");
    assert.ok(brightness(light.backgroundColor) > 200 && brightness(light.color) < 90, "light");
    await me.page.reload();
    await me.page.getByTestId("welcome").waitFor();
    assert.deepEqual(await colours(me.page), light);
    assertQuiet(me);
    await me.leave();
  },
);

/** Returns the channels from 0 to 255 of a color in the browser's form, `rgb(…)` or `oklch(…)`. */
function brightness(colour: string): number {
  const numbers = [...colour.matchAll(/[\d.]+/g)].map(Number);
  if (colour.startsWith("oklch") || colour.startsWith("oklab")) return (numbers[0] ?? 0) * 255;
  const scale = colour.startsWith("color(") ? 255 : 1;
  return ((numbers[0] ?? 0) + (numbers[1] ?? 0) + (numbers[2] ?? 0)) * (scale / 3);
}

test("every control has a name, and every field a label", { skip }, async () => {
  const me = await visit(browser, capstan.url);
  const { page } = me;
  await me.say('/ViewFile {"path":"notes.md"}');
  await me.card("ViewFile").waitFor();
  for (const name of ["Tools", "Variables", "Permissions"] as const) {
    await me.openPanel(name);
    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>("button, a, input, textarea, select")]
        .filter((control) => control.offsetParent !== null)
        .filter((control) => {
          const labels = "labels" in control ? (control.labels as NodeList | null) : null;
          const own = control.matches("button, a") ? control.textContent.trim() : "";
          return !control.ariaLabel && own === "" && (labels?.length ?? 0) === 0;
        })
        .map((control) => control.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(nameless, [], name);
  }
  await me.leave();
});
