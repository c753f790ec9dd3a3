// Tests the page with a slow server: it shows no wrong state meanwhile, and loses no input.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { buildWebIfStale } from "../build.ts";
import { findBrowser, launchBrowser } from "../../../test/browser.ts";
import { eventually } from "../../../test/page/visitor.ts";
import { startMockServer, type MockServer } from "./mock-server.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let browser: Browser;
let mock: MockServer;
let page: Page;

before(async () => {
  if (skip !== false) return;
  await buildWebIfStale();
  browser = await launchBrowser();
});
after(() => browser?.close());
beforeEach(async () => {
  if (skip !== false) return;
  mock = await startMockServer(join(import.meta.dirname, "../dist"));
  page = await browser.newPage();
});
afterEach(async () => {
  if (skip !== false) return;
  await page.close();
  await mock.close();
});

interface Held {
  /** Resolves when the page has sent the request. */
  readonly asked: Promise<void>;
  readonly release: () => void;
}

/** Delays requests of this kind until they are released. */
async function hold(method: string, path: RegExp): Promise<Held> {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === method) {
      asked.resolve();
      await released.promise;
    }
    await route.continue().catch(() => {});
  });
  return { asked: asked.promise, release: released.resolve };
}

const send = () => page.getByTestId("send");
async function say(text: string): Promise<void> {
  await page.getByTestId("composer-input").fill(text);
  await page.locator("[data-testid=send]:enabled").waitFor();
  await page.getByTestId("composer-input").press("Enter");
}

test("a message waits until models and tools are loaded", { skip }, async () => {
  const models = await hold("GET", /\/v1\/models/);
  const tools = await hold("GET", /\/v1\/tools/);
  await page.goto(mock.url);
  await page.getByTestId("composer-input").fill("hello");
  await Promise.all([models.asked, tools.asked]);
  assert.doesNotMatch(await page.getByTestId("composer-tools").innerText(), /group/);
  for (const next of [models, tools]) {
    await page.getByTestId("composer-input").press("Enter");
    assert.ok(await send().isDisabled());
    next.release();
  }
  await page.locator("[data-testid=send]:enabled").waitFor();
  assert.equal(await page.getByTestId("composer-input").inputValue(), "hello");
  await page.getByTestId("composer-input").press("Enter");
  await page.getByTestId("answer").getByText("You said: hello").waitFor();
  const [body = ""] = mock.requests.filter((request) => request.startsWith("POST /v1/responses"));
  assert.match(body, /groups\/files/);
});

test("a list is shown as empty only after it is loaded", { skip }, async () => {
  await page.goto(mock.url);
  await say("hello");
  await page.getByTestId("answer").getByText("You said: hello").waitFor();
  const grants = await hold("GET", /\/v1\/grants/);
  const variables = await hold("GET", /\/variables/);
  await page.getByTestId("open-permissions").click();
  await grants.asked;
  assert.equal(await page.getByTestId("no-grants").count(), 0);
  grants.release();
  await page.getByTestId("no-grants").waitFor();
  await page.getByTestId("open-variables").click();
  await variables.asked;
  assert.equal(await page.getByText("No variables yet").count(), 0);
  variables.release();
  await page.getByText("No variables yet").waitFor();
});

test("an opened conversation never shows the title of another one", { skip }, async () => {
  await page.goto(mock.url);
  await say("first");
  await page.getByTestId("answer").getByText("You said: first").waitFor();
  const opened = await hold("GET", /\/v1\/conversations\/conv_\d+$/);
  await page.reload();
  await opened.asked;
  assert.equal(await page.getByTestId("conversation-title").innerText(), "Opening…");
  opened.release();
  await page.getByRole("heading", { level: 1, name: "first" }).waitFor();
});

test(
  "the text of an edited title stays while the conversation is read again",
  { skip },
  async () => {
    await page.goto(mock.url);
    await say("first");
    await page.getByTestId("answer").getByText("You said: first").waitFor();
    const list = await hold("GET", /\/v1\/conversations\/conv_\d+$/);
    await say("second");
    await list.asked;
    const item = page.getByTestId("conversation-item");
    await item.hover();
    await item.getByTestId("conversation-menu").click();
    await item.getByTestId("rename-conversation").click();
    const field = page.getByTestId("rename-field");
    await field.fill("The first voyage");
    list.release();
    await page.getByTestId("answer").getByText("You said: second").waitFor();
    await page.locator("[data-testid=conversation-list]").getByTestId("rename-field").waitFor();
    assert.equal(await field.inputValue(), "The first voyage");
    const late = await hold("GET", /\/v1\/conversations\/conv_\d+$/);
    await field.press("Escape");
    await say("third");
    await late.asked;
    await item.hover();
    await item.getByTestId("conversation-menu").click();
    await item.getByTestId("rename-conversation").click();
    await field.fill("The second voyage");
    await field.press("Enter");
    await page.getByRole("heading", { level: 1, name: "The second voyage" }).waitFor();
    late.release();
    await page.getByTestId("answer").getByText("You said: third").waitFor();
    assert.equal(
      await page.getByTestId("conversation-title").innerText(),
      "The second voyage",
      "the response to an earlier request does not restore the old title",
    );
  },
);

test("switches are saved in their order, before the turn that uses them", { skip }, async () => {
  await page.goto(mock.url);
  await say("first");
  await page.getByTestId("answer").getByText("You said: first").waitFor();
  await page.getByTestId("open-tools").click();
  const saving = await hold("POST", /\/v1\/conversations\/conv_\d+$/);
  await page.locator("[data-group=web] [data-testid=group-switch]").uncheck({ force: true });
  await saving.asked;
  await page.locator("[data-group=files] [data-testid=group-switch]").uncheck({ force: true });
  await say("second");
  await page.getByText("Sending…").waitFor();
  saving.release();
  await page.getByTestId("answer").getByText("You said: second").waitFor();
  const [conversation] = [...mock.store.conversations.values()];
  assert.deepEqual(conversation?.switches.groups, { web: false, files: false });
  const saved = `/v1/conversations/${conversation.id}`;
  const posts = mock.requests.filter((request) => request.startsWith("POST /v1/"));
  assert.deepEqual(
    posts.slice(-3).map((post) => post.split(" ")[1]),
    [saved, saved, "/v1/responses"],
  );
  await eventually(async () =>
    assert.equal(
      await page.locator("[data-group=web] [data-testid=group-switch]").isChecked(),
      false,
    ),
  );
});

test("switches that could not be saved are shown with the server's values", { skip }, async () => {
  await page.goto(mock.url);
  await say("first");
  await page.getByTestId("answer").getByText("You said: first").waitFor();
  await page.getByTestId("open-tools").click();
  await page.route(/\/v1\/conversations\/conv_\d+$/, (route) =>
    route.fulfill({ status: 500, json: { error: { message: "The disk is full.", code: "full" } } }),
  );
  const web = page.locator("[data-group=web] [data-testid=group-switch]");
  await web.uncheck({ force: true });
  await page.getByTestId("send-error").getByText("The disk is full.").waitFor();
  assert.ok(await web.isChecked());
});

test("a rejection of the previous key does not open the key dialog again", { skip }, async () => {
  mock.apiKey = "secret";
  const late = await hold("GET", /\/v1\/tools/);
  await page.goto(mock.url);
  await page.getByTestId("api-key-dialog").waitFor();
  await late.asked;
  const answered = (status: number) =>
    page.waitForResponse(
      (response) => response.url().endsWith("/v1/tools") && response.status() === status,
    );
  const both = Promise.all([answered(401), answered(200)]);
  await page.getByTestId("api-key-input").fill("secret");
  await page.getByTestId("api-key-submit").click();
  late.release();
  await both;
  await page.getByTestId("starter").first().waitFor();
  assert.equal(await page.getByTestId("api-key-dialog").isVisible(), false);
});
