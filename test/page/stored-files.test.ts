import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findBrowser, launchBrowser } from "../browser.ts";
import { startCapstan } from "./capstan.ts";
import { visit } from "./visitor.ts";

const found = findBrowser();

/** A picture of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

test(
  "a tool's picture is shown and downloaded as a stored file, also after a reload",
  { skip: found.status === "missing" && found.reason },
  async () => {
    await using resources = new AsyncDisposableStack();
    const capstan = resources.adopt(await startCapstan(), (one) => one.close());
    const browser = resources.adopt(await launchBrowser(), (one) => one.close());
    await writeFile(join(capstan.folder, "pixel.png"), png);
    const me = await visit(browser, capstan.url);
    await me.say('/ViewFile {"path": "pixel.png"}');
    await me.turnEnds();
    const picture = me.page.getByRole("img", { name: "A picture from ViewFile" });
    for (const isReloaded of [false, true]) {
      if (isReloaded) await me.page.reload();
      await picture.waitFor();
      await me.row("ViewFile").getByRole("button", { expanded: false }).first().click();
      await me.row("ViewFile").getByTestId("call-details").getByRole("img").waitFor();
      assert.equal(await me.row("ViewFile").getByText("text", { exact: true }).count(), 0);
      assert.equal(await picture.count(), 1);
      assert.match((await picture.getAttribute("src")) ?? "", /^blob:/);
      await me.page.waitForFunction(
        () => document.querySelector<HTMLImageElement>(".content-parts img")?.naturalWidth === 1,
      );
    }
    const downloading = me.page.waitForEvent("download");
    await me.page.getByRole("button", { name: "Download ViewFile.png" }).click();
    const path = await (await downloading).path();
    assert.ok((await readFile(path)).equals(png));
    await me.say(
      '/BarChart {"title": "Boats by harbour", "labels": ["Oslo", "Bergen"], "series": [{"name": "Boats", "values": [3, 5]}]}',
    );
    await me.turnEnds();
    await me.page.getByRole("img", { name: /^Bar chart: Boats by harbour\..*Bergen: 5/ }).waitFor();
    await me.page.getByRole("button", { name: "Download boats-by-harbour.png" }).waitFor();
    assert.deepEqual(me.complaints(), []);
  },
);
