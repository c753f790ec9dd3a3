import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { unzipSync } from "fflate";
import { findBrowser, launchBrowser } from "../browser.ts";
import { startCapstan } from "./capstan.ts";
import { eventually, visit } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

test("chats are found by their words, pinned, archived and exported", { skip }, async (context) => {
  const capstan = await startCapstan();
  context.after(() => capstan.close());
  const browser = await launchBrowser();
  context.after(() => browser.close());
  const me = await visit(browser, capstan.url);
  const { page } = me;
  await me.say("Plan a trip to the harbor");
  await me.turnEnds();
  for (let turn = 0; turn < 6; turn += 1) {
    await me.say(turn === 2 ? "Remember the walrus" : "/help");
    await me.turnEnds();
  }
  await me.startOver();
  await me.say("Quarterly numbers");
  await me.turnEnds();

  const field = page.getByTestId("search-field");
  const matches = page.getByTestId("search-match");
  await page.keyboard.press("Control+k");
  await field.pressSequentially("trip harb");
  await eventually(async () => assert.equal(await matches.count(), 1));
  assert.match(await matches.innerText(), /Plan a trip to the harbor/);
  await field.fill("");
  await field.pressSequentially("numbers");
  await matches.getByText("Quarterly numbers").waitFor();
  await field.fill("nowhere to be found");
  await page.getByTestId("search-note").getByText("No chat has all of these words.").waitFor();
  await field.fill("<img src=x onerror=alert(1)>");
  await page.getByTestId("search-note").getByText("No chat").waitFor();

  // The first chat has the words in an older message: it opens there.
  await field.fill("walrus");
  await eventually(async () => assert.ok((await matches.count()) > 0));
  await field.press("Enter");
  await page.getByTestId("search-dialog").waitFor({ state: "hidden" });
  await page.getByTestId("user-message").getByText("Remember the walrus").waitFor();
  await eventually(async () => {
    const box = await page
      .getByTestId("user-message")
      .getByText("Remember the walrus")
      .boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y < 700, JSON.stringify(box));
  });
  const item = (title: string) => page.getByTestId("conversation-item").filter({ hasText: title });
  const choose = async (title: string, action: string) => {
    await item(title).hover();
    await item(title).getByTestId("conversation-menu").click();
    await page.getByTestId(action).and(page.locator(":visible")).click();
  };
  const group = (name: string) => page.getByRole("region", { name, exact: true });
  await choose("Plan a trip", "pin-conversation");
  await group("Pinned").getByText("Plan a trip").waitFor();
  await group("Today").getByText("Quarterly numbers").waitFor();
  await choose("Quarterly", "archive-conversation");
  await item("Quarterly").waitFor({ state: "detached" });
  await page.reload();
  await group("Pinned").getByText("Plan a trip").waitFor();
  await page.getByTestId("show-archive").click();
  await group("Archived").getByText("Quarterly numbers").waitFor();

  for (const [action, name] of [
    ["export-markdown", "Plan a trip to the harbor.md"],
    ["export-json", "Plan a trip to the harbor.json"],
    ["export-zip", "Plan a trip to the harbor.zip"],
  ] as const) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      choose("Plan a trip", action),
    ]);
    assert.equal(download.suggestedFilename(), name);
    const bytes = await readFile(await download.path());
    if (action === "export-markdown")
      assert.match(
        bytes.toString(),
        /^# Plan a trip.*\n\n## You\n\nPlan a trip.*Remember the walrus/s,
      );
    if (action === "export-json") assert.equal(JSON.parse(bytes.toString()).runs.length, 7);
    if (action === "export-zip")
      assert.deepEqual(Object.keys(unzipSync(bytes)), ["conversation.md", "conversation.json"]);
  }

  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await page.getByTestId("search-dialog").waitFor({ state: "hidden" });
  assert.deepEqual(me.complaints(), []);
});
