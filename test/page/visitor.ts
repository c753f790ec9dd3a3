import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { slowNetwork } from "../slow-network.ts";

/** A user of the page, who finds its parts by role, name and text. */
export interface Visitor {
  readonly page: Page;
  /** The conversation, without the texts for screen readers. */
  readonly chat: Locator;
  /** Types a message, presses Enter, and waits until the server has it. */
  readonly say: (text: string) => Promise<void>;
  /** Waits until the turn has ended and the field accepts the next message. */
  readonly turnEnds: () => Promise<void>;
  /** The row of a tool's last call. */
  readonly row: (tool: string) => Locator;
  /** The card that asks for a tool. */
  readonly card: (tool: string) => Locator;
  /** The panel next to the chat. */
  readonly panel: (name: "Tools" | "Connections" | "Variables" | "Permissions") => Locator;
  readonly openPanel: (
    name: "Tools" | "Connections" | "Variables" | "Permissions",
  ) => Promise<Locator>;
  /** The text of the newest answer. */
  readonly answer: () => Promise<string>;
  /** The page's errors, and its requests to other origins; empty if there are none. */
  readonly complaints: () => readonly string[];
  /** A new chat, with no panel open. */
  readonly startOver: () => Promise<void>;
  readonly leave: () => Promise<void>;
}

/** The time limit for each wait on a busy machine. No test measures time with it. */
const patienceMs = 30_000;

/** Opens the page in a fresh profile. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    ...options,
  });
  await slowNetwork(context);
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${url}/`) && !/^(data|blob):/.test(asked))
      complaints.push(`asked ${asked}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  // Found by their ids, because the page may be in another language.
  const message = page.getByTestId("composer-input");
  const send = page.getByTestId("send");
  await message.waitFor();

  const panel: Visitor["panel"] = (name) =>
    page
      .getByRole("complementary", { name, exact: true })
      .or(page.getByRole("dialog", { name, exact: true }));
  return {
    page,
    chat: page.getByRole("main", { name: "Chat" }),
    async say(text) {
      await message.fill(text);
      // The message cannot be sent before the models and the tools are loaded.
      await send.and(page.locator(":enabled")).waitFor();
      await message.press("Enter");
      // From here on the server has the turn, so a reload shows it.
      await page
        .locator("article.turn")
        .last()
        .getByText(text.split("\n", 1)[0] ?? "")
        .waitFor();
      await page.locator("article[aria-busy=true]").waitFor({ state: "detached" });
    },
    async turnEnds() {
      // A turn is busy from the key press on, before the server receives it.
      await page.waitForFunction(
        () =>
          document.querySelector("article.turn") !== null &&
          document.querySelector("main [aria-busy=true]") === null,
      );
      await send.waitFor();
    },
    row: (tool) => page.locator(`[data-testid=call-row][data-tool=${tool}]`).last(),
    card: (tool) => page.getByRole("region", { name: `${tool} needs your approval` }),
    panel,
    async openPanel(name) {
      await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name }).click();
      await panel(name).waitFor();
      return panel(name);
    },
    answer: () => page.getByTestId("answer").last().innerText(),
    complaints: () => complaints,
    async startOver() {
      const close = page.getByRole("button", { name: "Close the panel" });
      if (await close.isVisible()) await close.click();
      await page.getByRole("button", { name: "New chat" }).click();
      await page.getByTestId("welcome").waitFor();
    },
    leave: () => context.close(),
  };
}

/** Waits until a value equals the expected one; otherwise the error shows the last value. */
export async function eventually(
  check: () => Promise<void> | void,
  ms = patienceMs,
): Promise<void> {
  const end = Date.now() + ms;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }
}

/** Asserts that the page reported no errors except what `expected` names. */
export function assertQuiet(visitor: Visitor, expected?: RegExp): void {
  const heard = visitor.complaints().filter((text) => expected?.test(text) !== true);
  assert.deepEqual(heard, []);
}
