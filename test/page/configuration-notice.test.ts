import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findBrowser, launchBrowser } from "../browser.ts";
import { startCapstan } from "./capstan.ts";
import { visit } from "./visitor.ts";

const found = findBrowser();

test(
  "the page shows a notice while a changed settings file is not accepted",
  { skip: found.status === "missing" && found.reason },
  async () => {
    await using resources = new AsyncDisposableStack();
    const capstan = resources.adopt(await startCapstan(), (one) => one.close());
    const browser = resources.adopt(await launchBrowser(), (one) => one.close());
    const { page } = await visit(browser, capstan.url);
    const notice = page.getByTestId("configuration-notice");
    const settings = join(capstan.folder, "capstan.config.json");
    await page.getByRole("heading").first().waitFor();
    assert.equal(await notice.count(), 0);
    await writeFile(settings, '{"code": {"write": true}}');
    await page.reload();
    await notice.getByText("capstan config accept").waitFor();
    await writeFile(settings, "{}");
    await page.reload();
    await notice.waitFor({ state: "detached" });
  },
);
