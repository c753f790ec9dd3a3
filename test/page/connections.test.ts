import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type OAuthServers, startOAuthServers } from "@capstan/connections/testing";
import type { Browser } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { type Capstan, startCapstan } from "./capstan.ts";
import { eventually, visit, type Visitor } from "./visitor.ts";

// Adds a server on the page, signs in at its authorization server in the browser, and signs out.

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

let capstan: Capstan;
let browser: Browser;
let servers: OAuthServers;
let me: Visitor;

before(async () => {
  if (skip !== false) return;
  [capstan, browser, servers] = await Promise.all([
    startCapstan(),
    launchBrowser(),
    startOAuthServers(),
  ]);
  me = await visit(browser, capstan.url);
});
after(async () => {
  await browser?.close();
  await capstan?.close();
  await servers?.[Symbol.asyncDispose]();
});

test(
  "a server is added, signed in at, listed with its tools, signed out of and removed",
  { skip },
  async () => {
    const { page } = me;
    // The pages of the authorization server load a font from another site.
    const isLocal = (url: URL) => url.hostname === "127.0.0.1";
    await page.route(
      (url) => !isLocal(url),
      (route) => route.abort(),
    );
    const panel = await me.openPanel("Connections");
    await panel.getByTestId("no-connections").waitFor();
    await panel.getByTestId("add-connection").click();
    await panel.getByLabel("Address").fill("nonsense");
    await panel.getByLabel("Name").fill("tickets");
    await panel.getByTestId("connection-save").click();
    await panel.getByText(/url: expected the address of an MCP server/).waitFor();
    await panel.getByLabel("Address").fill(servers.url);
    await panel.getByTestId("connection-save").click();
    const item = panel.getByTestId("connection");
    await item.getByText("Needs a sign-in", { exact: true }).waitFor();

    await item.getByTestId("sign-in").click();
    await page.waitForURL(`${servers.issuer}/**`);
    await page.locator('input[name="login"]').fill("ann");
    await page.locator('input[name="password"]').fill("any");
    await page.locator('button[type="submit"]').click();
    await page.locator('button[type="submit"]').click();
    await page.waitForURL(`${capstan.url}/**`);
    await page.getByText("Signed in at tickets").waitFor();
    assert.doesNotMatch(page.url(), /code|state/);
    const again = page.getByTestId("panel-connections").getByTestId("connection");
    await again.getByText("Connected", { exact: true }).waitFor();
    await again.getByText(`You are signed in at ${servers.issuer}`).waitFor();
    await again.getByTestId("show-tools").click();
    await again.getByTestId("connection-tool").getByText("Returns its text.").waitFor();

    await again.getByTestId("sign-out").click();
    await page.getByText("Signed out", { exact: true }).waitFor();
    await again.getByTestId("connection-access").waitFor({ state: "detached" });
    await again.getByTestId("remove").click();
    await again.getByText("Remove tickets and all credentials for it?").click();
    await page.getByTestId("no-connections").waitFor();
  },
);

test("an answer that belongs to no sign-in of this tab is not sent", { skip }, async () => {
  const { page } = me;
  await page.goto(`${capstan.url}/?state=tickets.guess&code=guess`);
  await page.getByText(/did not start this sign-in/).waitFor();
  assert.doesNotMatch(page.url(), /code|state/);
});

test("a server in a private network is added after a second step", { skip }, async () => {
  const { page } = me;
  const bodies: unknown[] = [];
  const message = "intranet.example.org is not on the public internet (private).";
  const error = { message, type: "invalid_request_error", code: "private_address", param: null };
  const added = (url: URL) => url.pathname === "/v1/connections";
  await page.route(added, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    bodies.push(route.request().postDataJSON());
    await route.fulfill({ status: 422, json: { error } });
  });
  const panel = page.getByTestId("panel-connections");
  await panel.getByTestId("add-connection").click();
  await panel.getByLabel("Address").fill("https://intranet.example.org/mcp");
  await panel.getByLabel("Name").fill("intranet");
  const save = panel.getByTestId("connection-save");
  await save.click();
  await panel.getByText(message).waitFor();
  await save.getByText("Add a server in my private network").click();
  const body = { name: "intranet", url: "https://intranet.example.org/mcp" };
  await eventually(() => assert.deepEqual(bodies, [body, { ...body, private: true }]));
  // Another address is a new question.
  await panel.getByLabel("Address").fill("https://other.example.org/mcp");
  await save.getByText("Add", { exact: true }).waitFor();
});
