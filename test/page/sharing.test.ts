import assert from "node:assert/strict";
import { test } from "node:test";
import { findBrowser, launchBrowser } from "../browser.ts";
import { startCapstan } from "./capstan.ts";
import { eventually, visit } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

test(
  "a chat is shared by a link that shows it as it was, and the link is revoked",
  { skip },
  async (context) => {
    const capstan = await startCapstan({ config: { sharing: true } });
    context.after(() => capstan.close());
    const browser = await launchBrowser();
    context.after(() => browser.close());
    const me = await visit(browser, capstan.url);
    const { page } = me;
    await me.say("<img src=x onerror=alert(1)> Where is the harbor?");
    await me.turnEnds();
    await page.getByTestId("conversation-item").first().hover();
    await page.getByTestId("conversation-menu").first().click();
    await page.getByTestId("share-conversation").click();
    const dialog = page.getByTestId("share-dialog");
    await dialog.getByText("No link exists.").waitFor();
    await dialog.getByTestId("create-share").click();
    const address = await dialog.getByTestId("share-address").inputValue();
    assert.match(address, /#share=share_[\w-]{43}$/);
    await dialog.getByTestId("close-share").click();
    await me.say("A later message");
    await me.turnEnds();

    // A reader whose browser is not paired with this server.
    const reader = await browser.newContext();
    const shared = await reader.newPage();
    const requests: string[] = [];
    shared.on("request", (request) => requests.push(request.url()));
    let alerts = 0;
    shared.on("dialog", (box) => {
      alerts += 1;
      void box.dismiss();
    });
    await shared.goto(address);
    await shared.getByTestId("shared-user").getByText("Where is the harbor?").waitFor();
    assert.ok((await shared.getByTestId("shared-assistant").count()) > 0);
    assert.equal(await shared.getByText("A later message").count(), 0);
    assert.equal(alerts, 0);
    // The token is never part of a request's address.
    assert.deepEqual(
      requests.filter((url) => url.includes("share_")),
      [],
    );
    assert.doesNotMatch(capstan.output(), /share_/);

    await page.getByTestId("open-settings").click();
    const settings = page.getByRole("dialog", { name: "Settings" });
    await settings.getByTestId("settings-data").click();
    await settings.getByTestId("shared-chat").getByRole("button", { name: "Revoke" }).click();
    await settings.getByTestId("no-shares").waitFor();
    await shared.reload();
    await eventually(async () =>
      assert.match(
        await shared.getByTestId("shared-failure").innerText(),
        /does not exist, or was revoked/,
      ),
    );
  },
);

test("without the setting, the page offers no link", { skip }, async (context) => {
  const capstan = await startCapstan();
  context.after(() => capstan.close());
  const browser = await launchBrowser();
  context.after(() => browser.close());
  const me = await visit(browser, capstan.url);
  await me.say("Hello");
  await me.turnEnds();
  await me.page.getByTestId("conversation-item").first().hover();
  await me.page.getByTestId("conversation-menu").first().click();
  await me.page.getByTestId("export-json").waitFor();
  assert.equal(await me.page.getByTestId("share-conversation").count(), 0);
});
