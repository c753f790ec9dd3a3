import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { findBrowser, launchBrowser } from "../browser.ts";
import { startCapstan } from "./capstan.ts";
import { eventually, visit } from "./visitor.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

/** A picture of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function open(context: TestContext) {
  const capstan = await startCapstan({ config: { limits: { fileBytes: 100_000 } } });
  context.after(() => capstan.close());
  const browser = await launchBrowser();
  context.after(() => browser.close());
  const me = await visit(browser, capstan.url);
  const attachments = me.page.getByTestId("attachment");
  /** Drops or pastes a file: browsers let only users make a real event with files. */
  const give = (type: "drop" | "paste", name: string, bytes: number) =>
    me.page.getByTestId("composer-input").evaluate(
      (field, file) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(file.bytes)], file.name, { type: "image/png" }));
        const options = { bubbles: true, cancelable: true };
        field.dispatchEvent(
          file.type === "drop"
            ? new DragEvent("drop", { ...options, dataTransfer: data })
            : new ClipboardEvent("paste", { ...options, clipboardData: data }),
        );
      },
      { type, name, bytes },
    );
  return { capstan, me, page: me.page, attachments, give };
}

test(
  "chosen files are uploaded, sent and shown, also after a reload",
  { skip },
  async (context) => {
    const { capstan, me, page, attachments } = await open(context);
    await page.getByTestId("attach-field").setInputFiles([
      { name: "pixel.png", mimeType: "image/png", buffer: png },
      { name: "table.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") },
    ]);
    await page.locator("[data-testid=attachment][data-status=ready]").nth(1).waitFor();
    await me.say("What is in these files?");
    await me.turnEnds();
    assert.equal(await attachments.count(), 0);
    const files = page.getByTestId("message-file");
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await page.getByText("What is in these files?").last().waitFor();
      await eventually(async () => assert.equal(await files.count(), 2));
      await page.getByRole("img", { name: "pixel.png" }).waitFor();
      await page.getByRole("button", { name: "Download table.csv" }).waitFor();
    }
    const id = new URL(page.url()).hash.slice("#/c/".length);
    const listed = await (await fetch(`${capstan.url}/v1/files?conversation=${id}`)).json();
    const names = (listed as { data: { filename: string }[] }).data.map(({ filename }) => filename);
    assert.deepEqual(names.toSorted(), ["pixel.png", "table.csv"]);
    assert.deepEqual(me.complaints(), []);
  },
);

test("files are dropped and pasted, a long text is pasted as a file", { skip }, async (context) => {
  const { me, page, attachments, give } = await open(context);
  await give("drop", "dropped.png", 10);
  await give("paste", "pasted.png", 10);
  await page.getByTestId("composer-input").evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", "long ".repeat(5_000));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
  });
  await eventually(async () =>
    assert.deepEqual(await attachments.locator(".attachment-name").allInnerTexts(), [
      "dropped.png",
      "pasted.png",
      "pasted text.txt",
    ]),
  );
  // Another chat has its own files.
  await me.say("one");
  await me.turnEnds();
  await give("drop", "later.png", 10);
  await page.getByTestId("new-chat").click();
  await attachments.waitFor({ state: "detached" });
  await page.getByTestId("conversation-item").first().click();
  await attachments.getByText("later.png").waitFor();
});

test(
  "a file that is too large says so, can be removed, and is not sent",
  { skip },
  async (context) => {
    const { capstan, me, page, attachments, give } = await open(context);
    await give("drop", "large.png", 200_000);
    const large = page.locator("[data-testid=attachment][data-status=failed]");
    assert.match(await large.innerText(), /100[ ,]?000|98 KB|larger|too large/i);
    await page.getByTestId("composer-input").fill("hello");
    assert.ok(await page.getByTestId("send").isDisabled());
    await page.getByRole("button", { name: "Remove large.png" }).click();
    await give("drop", "small.png", 10);
    await page.locator("[data-testid=attachment][data-status=ready]").waitFor();
    await page.getByRole("button", { name: "Remove small.png" }).click();
    assert.equal(await attachments.count(), 0);
    // A removed file is deleted on the server.
    await eventually(async () => {
      const listed = await (await fetch(`${capstan.url}/v1/files`)).json();
      assert.deepEqual((listed as { data: unknown[] }).data, []);
    });
    await me.say("hello");
    await me.turnEnds();
  },
);

test(
  "without a server an upload fails with its reason, and is repeated",
  { skip },
  async (context) => {
    const { capstan, me, page, give } = await open(context);
    await me.say("first");
    await me.turnEnds();
    await capstan.kill();
    await give("drop", "late.png", 10);
    await page.locator("[data-testid=attachment][data-status=failed]").waitFor();
    await capstan.start();
    await page.getByRole("button", { name: "Upload late.png again" }).click();
    await page.locator("[data-testid=attachment][data-status=ready]").waitFor();
    await me.say("second");
    await me.turnEnds();
    await page.getByRole("img", { name: "late.png" }).waitFor();
  },
);
