import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { findBrowser, launchBrowser } from "../browser.ts";
import { startUpstream } from "../upstream.ts";
import { startCapstan } from "./capstan.ts";

const found = findBrowser();
const skip = found.status === "missing" && found.reason;

const resources = new AsyncDisposableStack();
const release = Promise.withResolvers<void>();
let browser: Browser;
let page: Page;
/** The Content-Encoding of each loaded resource, by path. */
const encodings = new Map<string, string | undefined>();

before(async () => {
  if (skip !== false) return;
  const upstream = resources.use(
    await startUpstream(() => ({ say: ["One, ", "two."], hold: release.promise })),
  );
  const capstan = await startCapstan({ environment: upstream.environment });
  resources.defer(() => capstan.close());
  browser = await launchBrowser();
  resources.defer(() => browser.close());
  page = await browser.newPage();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    encodings.set(pathname, response.headers()["content-encoding"]);
  });
  await page.goto(capstan.url);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
});

after(() => resources.disposeAsync());

test("a browser gets the page's script and style compressed", { skip }, () => {
  const assets = [...encodings].filter(([path]) => path.startsWith("/assets/"));
  assert.ok(assets.length >= 2);
  for (const [path, encoding] of assets) assert.match(encoding ?? "", /^(br|gzip)$/, path);
});

test("in a browser, an event arrives while the model is silent", { skip }, async () => {
  const first = await page.evaluate(async () => {
    const models = (await (await fetch("/v1/models")).json()) as { data: { id: string }[] };
    const model = models.data.find(({ id }) => id !== "capstan/offline")?.id ?? "";
    const response = await fetch("/v1/responses", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ model, input: "Count", stream: true }),
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("One, ")) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return `The stream ended: ${text}`;
      text += value;
    }
    Object.assign(globalThis, { reader });
    return response.headers.get("content-encoding");
  });
  assert.equal(first, "gzip");
  release.resolve();
  const rest = await page.evaluate(async () => {
    const { reader } = globalThis as unknown as { reader: ReadableStreamDefaultReader<string> };
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  });
  assert.match(rest, /two\./);
});
