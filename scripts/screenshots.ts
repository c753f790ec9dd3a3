// npm run screenshots: takes the README's screenshots of the current page.
import { mkdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "../test/browser.ts";
import { type Capstan, startCapstan } from "../test/page/capstan.ts";
import { visit, type Visitor } from "../test/page/visitor.ts";
import { inOrder, startUpstream, type UpstreamAnswer } from "../test/upstream.ts";
import { root } from "./command.ts";
import { ensureBrowser } from "./testing/install-chromium.ts";

const folder = join(root, "docs/images");
/** The largest size of a picture. */
const maxBytes = 300_000;

const visits = Array.from({ length: 1_500 }, (_, day) => {
  const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
  return `${date},${120 + ((day * 37) % 90)},${["search", "links", "mail"][day % 3]}`;
});
const files = {
  "package.json": `${JSON.stringify({ name: "trail-maps", engines: { node: ">=24" } }, null, 2)}\n`,
  "README.md": "# Trail maps\n\nMaps of walking trails.\n\nNeeds Node.js 20 or newer.\n",
  "visits.csv": `date,visits,from\n${visits.join("\n")}\n`,
};

interface Scene {
  readonly name: string;
  /** The model's answers. */
  readonly answers: readonly UpstreamAnswer[];
  /** Uses the page until it shows the content of the picture. */
  readonly play: (me: Visitor) => Promise<void>;
}

const scenes: readonly Scene[] = [
  {
    name: "first-page",
    answers: [{}],
    play: (me) => me.page.getByRole("list", { name: "Things to try" }).waitFor(),
  },
  {
    name: "turn",
    answers: [
      {
        calls: [
          { name: "ViewFile", arguments: '{"path":"package.json"}' },
          { name: "SearchFiles", arguments: '{"query":"Node.js"}' },
        ],
      },
      {
        say: [
          "No, they differ:\n\n",
          "| File | Node.js |\n|---|---|\n| `package.json` | 24 or newer |\n",
          "| `README.md`, line 5 | 20 or newer |\n\n",
          "`package.json` is what `npm` checks, so the README is out of date.",
        ],
      },
    ],
    async play(me) {
      await me.say("Do the README and package.json name the same Node.js version?");
      await me.turnEnds();
    },
  },
  {
    name: "approval",
    answers: [
      {
        say: ["I compare `package.json` with the list of releases on nodejs.org."],
        calls: [
          { name: "ViewFile", arguments: '{"path":"package.json"}' },
          {
            name: "FetchWebPage",
            arguments: '{"url":"https://nodejs.org/en/about/previous-releases"}',
          },
        ],
      },
    ],
    async play(me) {
      await me.say("Is our Node.js version still supported?");
      await me.card("FetchWebPage").waitFor();
      await me.row("ViewFile").and(me.page.locator("[data-status=done]")).waitFor();
      await me.page.locator("[data-testid=approval-allow-once]:enabled").waitFor();
    },
  },
  {
    name: "variables",
    answers: [
      { calls: [{ name: "ViewFile", arguments: '{"path":"visits.csv"}' }] },
      {
        say: [
          "It lists the visits of 1,500 days and their sources. I read the first and last days; the whole file is kept as a variable.",
        ],
      },
    ],
    async play(me) {
      await me.say("What is in visits.csv?");
      await me.turnEnds();
      await me.row("ViewFile").getByTestId("call-toggle").click();
      await me
        .row("ViewFile")
        .getByRole("button", { name: /Open the full value/ })
        .click();
      await me.panel("Variables").getByText("2026-01-20", { exact: false }).first().waitFor();
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
    // A phone, which has no hover and no Alt key.
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
      await using upstream = await startUpstream(inOrder(...scene.answers));
      const environment = { ...upstream.environment, CAPSTAN_MODEL: "my-model" };
      const capstan = await startCapstan({ files, environment });
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
  // Hides the blinking cursor, so that equal pages give equal screenshots.
  await page.screenshot({ path, caret: "hide", animations: "disabled" });
  const { size } = await stat(path);
  console.log(`${relative(root, path)}  ${Math.ceil(size / 1024)} KiB  ${capstan.url}`);
  if (size > maxBytes) throw new Error(`${file} is larger than ${maxBytes} bytes.`);
}
