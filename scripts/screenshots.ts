// npm run screenshots: the pictures of the README, taken of the page as it is.
import { mkdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "../test/browser.ts";
import { type Capstan, startCapstan } from "../test/page/capstan.ts";
import { visit, type Visitor } from "../test/page/visitor.ts";
import { root } from "./command.ts";
import { ensureBrowser } from "./testing/install-chromium.ts";

const folder = join(root, "docs/images");
/** The largest size of a picture. */
const maxBytes = 300_000;

const logbook = Array.from(
  { length: 400 },
  (_, day) => `Day ${day + 1}. Wind ${["NW", "W", "SW", "S"][day % 4]} ${2 + (day % 6)}, all well.`,
).join("\n");
const files = {
  "README.md": "# The Good Intent\n\nA ship, her crew and her cargo.\n",
  "cargo.json": '{ "rope": 4, "tar": 2, "timber": 30 }\n',
  "logbook.md": logbook,
};

interface Scene {
  readonly name: string;
  /** Brings the page to where the picture is taken. */
  readonly play: (me: Visitor) => Promise<void>;
}

const scenes: readonly Scene[] = [
  {
    name: "first-page",
    play: (me) => me.page.getByRole("list", { name: "Things to try" }).waitFor(),
  },
  {
    name: "turn",
    async play(me) {
      await me.say('/ViewFile {"path":"cargo.json"}\n/SearchFiles {"query":"Day 40"}');
      await me.turnEnds();
    },
  },
  {
    name: "approval",
    async play(me) {
      await me.say('/ViewFile {"path":"README.md"}\n/FetchWebPage {"url":"https://example.org/"}');
      await me.card("FetchWebPage").waitFor();
      await me.row("ViewFile").and(me.page.locator("[data-status=done]")).waitFor();
      await me.page.locator("[data-testid=approval-allow-once]:enabled").waitFor();
    },
  },
  {
    name: "variables",
    async play(me) {
      await me.say('/ViewFile {"path":"logbook.md"}');
      await me.turnEnds();
      await me.row("ViewFile").getByTestId("call-toggle").click();
      await me
        .row("ViewFile")
        .getByRole("button", { name: /Open the whole value/ })
        .click();
      await me.panel("Variables").getByText("Day 20.", { exact: false }).first().waitFor();
    },
  },
];

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  {
    name: "narrow",
    colorScheme: "light",
    viewport: { width: 360, height: 740 },
    // A telephone: it hovers over nothing, and has no Alt key.
    isMobile: true,
    hasTouch: true,
  },
] as const;

await ensureBrowser();
await mkdir(folder, { recursive: true });
const browser = await launchBrowser();
try {
  for (const scene of scenes) {
    for (const { name, ...look } of looks) {
      const capstan = await startCapstan({ files });
      try {
        const me = await visit(browser, capstan.url, look);
        await scene.play(me);
        await take(me.page, capstan, `${scene.name}-${name}.png`);
        await me.leave();
      } finally {
        await capstan.close();
      }
    }
  }
} finally {
  await browser.close();
}

async function take(page: Page, capstan: Capstan, file: string): Promise<void> {
  const path = join(folder, file);
  // Without a blinking cursor the same page gives the same picture.
  await page.screenshot({ path, caret: "hide", animations: "disabled" });
  const { size } = await stat(path);
  console.log(`${relative(root, path)}  ${Math.ceil(size / 1024)} KiB  ${capstan.url}`);
  if (size > maxBytes) throw new Error(`${file} is larger than ${maxBytes} bytes.`);
}
