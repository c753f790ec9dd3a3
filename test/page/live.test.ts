import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Browser, Locator } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { assertQuiet, eventually, visit, type Visitor } from "./visitor.ts";

// Two browsers of one user, a computer and a phone, on the same server.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let capstan: Capstan;
let browser: Browser;
let me: Visitor;
let phone: Visitor;

before(async () => {
  if (skip !== false) return;
  capstan = await startCapstan({
    files: { "notes.md": "Haul away.", "other.md": "Belay." },
    config: { rules: [{ tool: "files.ViewFile", execution: "ask-always" }] },
  });
  browser = await launchBrowser();
  me = await visit(browser, capstan.url);
  phone = await visit(browser, capstan.url, { viewport: { width: 360, height: 740 } });
});
after(async () => {
  await browser?.close();
  await capstan?.close();
});
beforeEach(() => me?.startOver());

const items = (visitor: Visitor) => visitor.page.getByTestId("conversation-item");
const item = (visitor: Visitor, title: string) => items(visitor).filter({ hasText: title }).first();
/** Chooses an action in the menu of a chat. */
const choose = async (chat: Locator, action: string) => {
  await chat.hover();
  await chat.getByTestId("conversation-menu").click();
  await chat.page().getByTestId(action).click();
};
const openList = async (visitor: Visitor) => {
  await visitor.page.getByTestId("open-sidebar").click();
  await items(visitor).first().waitFor();
};
/** Opens the chat that is open on another page. */
const openSame = async (visitor: Visitor, other: Visitor) => {
  await visitor.page.goto(other.page.url());
  await visitor.page.getByTestId("user-message").first().waitFor();
};
const said = (visitor: Visitor, text: string) =>
  visitor.page.getByTestId("user-message").filter({ hasText: text });
/** The number of pixels by which the page is wider than its window. */
const overflow = (visitor: Visitor) =>
  visitor.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
const messages = (visitor: Visitor) => visitor.page.getByTestId("user-message").allInnerTexts();

test(
  "a new chat, its title and its removal show in the list of another browser",
  { skip },
  async () => {
    await me.say("/DateTime {}");
    await me.turnEnds();
    await openList(phone);
    await item(phone, "/DateTime").waitFor();
    await choose(item(me, "/DateTime"), "rename-conversation");
    await me.page.getByTestId("rename-field").fill("Time in Tokyo");
    await me.page.getByTestId("rename-field").press("Enter");
    await item(phone, "Time in Tokyo").waitFor();
    // The list stays open while it changes.
    assert.equal(await phone.page.getByRole("dialog", { name: "Conversations" }).isVisible(), true);
    await choose(item(me, "Time in Tokyo"), "delete-conversation");
    await me.page.getByRole("button", { name: "Dismiss" }).first().click();
    await item(phone, "Time in Tokyo").waitFor({ state: "detached" });
    await phone.page.getByRole("button", { name: "Close the list" }).click();
  },
);

test("a second page of a chat shows its new turns, titles and end", { skip }, async () => {
  await me.say("first /DateTime {}");
  await me.turnEnds();
  await openSame(phone, me);
  await me.say("second");
  await said(phone, "second").waitFor();
  await me.turnEnds();
  await phone.say("third");
  await said(me, "third").waitFor();
  await phone.turnEnds();
  for (const visitor of [me, phone])
    await eventually(async () => assert.equal((await messages(visitor)).length, 3));
  await choose(item(me, "first"), "delete-conversation");
  await me.page.getByRole("button", { name: "Dismiss" }).first().click();
  await phone.page.getByTestId("conversation-missing").waitFor();
});

test(
  "a message on a stale page is not sent, the new turn is shown, and nothing is lost",
  { skip },
  async () => {
    await me.say("begin");
    await me.turnEnds();
    // This page learns nothing of changes.
    await phone.page.route("**/v1/events*", (route) => route.fulfill({ status: 404 }));
    await openSame(phone, me);
    await phone.page.reload();
    await said(phone, "begin").waitFor();
    await me.say("meanwhile");
    await me.turnEnds();
    assert.equal((await messages(phone)).length, 1);
    await phone.page.getByTestId("composer-input").fill("my answer");
    await phone.page.locator("[data-testid=send]:enabled").click();
    await phone.page.getByTestId("send-error").getByText("another window").waitFor();
    await said(phone, "meanwhile").waitFor();
    assert.equal(await phone.page.getByTestId("composer-input").inputValue(), "my answer");
    await phone.page.locator("[data-testid=send]:enabled").click();
    await said(me, "my answer").waitFor();
    await phone.turnEnds();
    assert.equal((await messages(phone)).length, 3);
    await phone.page.unroute("**/v1/events*");
    await phone.page.reload();
  },
);

test("after a lost connection a page catches up", { skip }, async () => {
  await me.say("before");
  await me.turnEnds();
  await openSame(phone, me);
  await phone.page.context().setOffline(true);
  await me.say("while you were away");
  await me.turnEnds();
  await phone.page.context().setOffline(false);
  await said(phone, "while you were away").waitFor();
});

test(
  "tabs of one browser share one connection, and another tab takes it over",
  { skip },
  async () => {
    const context = await browser.newContext();
    const streams: string[] = [];
    context.on("request", (request) => {
      if (request.url().includes("/v1/events")) streams.push(request.url());
    });
    const open = async () => {
      const page = await context.newPage();
      await page.goto(capstan.url);
      await page.getByTestId("welcome").waitFor();
      return page;
    };
    const [first, second] = [await open(), await open()];
    const shows = (page: typeof first, text: string) =>
      page.getByTestId("conversation-item").filter({ hasText: text }).waitFor();
    await me.say("told to all tabs");
    await Promise.all([shows(first, "told to all"), shows(second, "told to all")]);
    await me.turnEnds();
    assert.equal(streams.length, 1);
    await first.close();
    await me.startOver();
    await me.say("told to the other tab");
    await shows(second, "told to the other");
    await me.turnEnds();
    assert.equal(streams.length, 2);
    assert.match(streams[1] ?? "", /starting_after=feed_/);
    await context.close();
  },
);

test(
  "without locks, a page follows changes while it is visible, and then catches up",
  { skip },
  async () => {
    const context = await browser.newContext();
    // As in a page that was loaded without TLS.
    await context.addInitScript(() => {
      delete (Navigator.prototype as { locks?: unknown }).locks;
      let visibility = "visible";
      Object.defineProperty(document, "visibilityState", { get: () => visibility });
      Object.assign(window, {
        show: (next: string) => {
          visibility = next;
          document.dispatchEvent(new Event("visibilitychange"));
        },
      });
    });
    const page = await context.newPage();
    const show = (visibility: string) =>
      page.evaluate(
        (next) => (window as never as { show: (next: string) => void }).show(next),
        visibility,
      );
    const shows = (text: string) =>
      page.getByTestId("conversation-item").filter({ hasText: text }).waitFor();
    await page.goto(capstan.url);
    await page.getByTestId("welcome").waitFor();
    await me.say("seen at once");
    await shows("seen at once");
    await me.turnEnds();
    const gone = page.waitForEvent("requestfailed", (request) =>
      request.url().includes("/v1/events"),
    );
    await show("hidden");
    await gone;
    await me.startOver();
    await me.say("seen later");
    await me.turnEnds();
    assert.equal(await page.getByText("seen later").count(), 0);
    await show("visible");
    await shows("seen later");
    await context.close();
  },
);

test(
  "a call that waits is seen from another chat and a phone, and answered there",
  { skip },
  async () => {
    await me.say('/ViewFile {"path":"notes.md"}');
    await me.card("ViewFile").waitFor();
    const title = "/ViewFile";
    await me.startOver();
    await item(me, title).getByText("needs your attention").waitFor();
    assert.match(await me.page.title(), /^\(1\) /);
    const opened = phone.page.getByRole("button", { name: "1 request needing your attention" });
    await opened.click();
    const card = phone.card("ViewFile");
    await card.waitFor();
    assert.match(await card.innerText(), /path\s+notes\.md/);
    assert.equal(await overflow(phone), 0);
    await card.locator("[data-testid=approval-allow-once]:enabled").click();
    await phone.page.getByTestId("inbox-empty").waitFor();
    await item(me, title).getByText("needs your attention").waitFor({ state: "detached" });
    await eventually(async () => assert.doesNotMatch(await me.page.title(), /^\(/));
    await phone.page.getByRole("button", { name: "Close the panel" }).click();
  },
);

test("the link of a message opens the chat of its request", { skip }, async () => {
  await me.startOver();
  await me.say('/ViewFile {"path":"linked.md"}');
  await me.card("ViewFile").waitFor();
  const { data } = await me.page.evaluate(async () => {
    const response = await fetch("/v1/approvals?status=pending");
    return (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  });
  await phone.page.evaluate((id) => (location.hash = `#/approvals/${id}`), data[0]?.id ?? "");
  await phone.card("ViewFile").getByText("linked.md").waitFor();
  assert.match(phone.page.url(), /#\/c\//);
  await me.page.locator("main [data-testid=approval-refuse]:enabled").first().click();
  await me.turnEnds();
  await phone.page.evaluate(() => (location.hash = "#/approvals/none"));
  await phone.page.getByText(/Could not open the request: /).waitFor();
});

test(
  "several reads are allowed together; a card answered elsewhere says so",
  { skip },
  async () => {
    await me.say('/ViewFile {"path":"notes.md"}\n/ViewFile {"path":"other.md"}');
    await me.card("ViewFile").first().waitFor();
    await phone.page.getByRole("button", { name: "2 requests needing your attention" }).click();
    await phone.card("ViewFile").nth(1).waitFor();
    await me.page.locator("main [data-testid=approval-refuse]:enabled").first().click();
    await phone.page
      .getByTestId("answered-elsewhere")
      .getByText(/^ViewFile: you rejected it at .*in another window/)
      .waitFor();
    // One call is left, which needs its own answer.
    await eventually(async () => assert.equal(await phone.card("ViewFile").count(), 1));
    assert.equal(await phone.page.getByTestId("allow-together").count(), 0);
    await phone.page.locator("[data-testid=approval-allow-once]:enabled").click();
    await me.turnEnds();
    await me.say('/ViewFile {"path":"notes.md"}\n/ViewFile {"path":"other.md"}\n/DateTime {}');
    await phone.card("ViewFile").nth(1).waitFor();
    const together = phone.page.getByTestId("allow-together");
    assert.match(await together.innerText(), /Allow all 2 once\s+.*ViewFile and ViewFile/);
    await together.locator("button:enabled").click();
    await me.turnEnds();
    await phone.page.getByTestId("inbox-empty").waitFor();
    await phone.page.getByRole("button", { name: "Close the panel" }).click();
  },
);

test(
  "a hidden page notifies of a call that waits, if the user turned that on",
  { skip },
  async () => {
    const context = await browser.newContext({ permissions: ["notifications"] });
    // Records the notifications, and whether the page asked for them before a click.
    await context.addInitScript(() => {
      const shown: string[] = [];
      class Recorded extends EventTarget {
        static readonly permission = "granted";
        static readonly requestPermission = async () => "granted";
        constructor(title: string, { body, tag }: NotificationOptions) {
          super();
          shown.push(`${title}. ${body}. ${tag?.slice(0, 5)}`);
        }
      }
      Object.assign(window, { Notification: Recorded, shownNotifications: shown });
    });
    const page = await context.newPage();
    const shown = () =>
      page.evaluate(() => (window as never as { shownNotifications: string[] }).shownNotifications);
    const ask = async (visitor: Visitor, path: string) => {
      await visitor.startOver();
      await visitor.say(`/ViewFile {"path":"${path}"}`);
      await visitor.card("ViewFile").waitFor();
    };
    await page.goto(capstan.url);
    await ask(me, "notes.md");
    await page.getByTestId("open-inbox").click();
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByText("this browser notifies you").waitFor();
    await ask(me, "other.md");
    await page.getByTestId("inbox-group").nth(1).waitFor();
    assert.deepEqual(await shown(), [], "the page is visible");
    await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
    });
    await ask(me, "third.md");
    await eventually(async () => {
      const [only, ...more] = await shown();
      assert.deepEqual(more, []);
      assert.match(only ?? "", /^ViewFile needs your approval\. In “\/ViewFile .*third\.md.*”/);
    });
    await context.close();
  },
);

test("no page reported an error", { skip }, () => {
  assertQuiet(me);
  assertQuiet(phone, /409|ERR_INTERNET_DISCONNECTED|Failed to load resource/);
});
