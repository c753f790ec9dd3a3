import assert from "node:assert/strict";
import { test } from "node:test";
import { contentParts } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { createFileLink, fileLinkMs, openFileLink } from "../http/files/file-links.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const png = Buffer.from("89504e470d0a1a0a", "hex");
const html = Buffer.from("<script>alert(1)</script>");

const draw = tool("Draw", () =>
  contentParts([
    {
      type: "image",
      mimeType: "image/png",
      source: { type: "base64", data: png.toString("base64") },
    },
    {
      type: "file",
      name: "a](b).html",
      mimeType: "text/html",
      source: { type: "base64", data: html.toString("base64") },
    },
    {
      type: "file",
      name: "remote",
      mimeType: "text/plain",
      source: { type: "url", url: "javascript:alert(1)" },
    },
  ]),
);

const setup = (replies: ConstructorParameters<typeof ScriptedModel>[0] = []) => {
  const store = openMemoryStore();
  const apiKeys = [
    { name: "ann", key: "ann-key-ann-key", rights: ["ask", "approve"] as const },
    { name: "bob", key: "bob-key-bob-key" },
  ];
  const app = createTestApp({ model: new ScriptedModel(replies), tools: [draw], store, apiKeys });
  const send = (method: string, path: string, body?: object, key = "ann-key-ann-key") => {
    const request = requestTo(method, path, body);
    request.headers.set("Authorization", `Bearer ${key}`);
    return app.fetch(request);
  };
  const upload = async (name: string, type: string, bytes: Buffer) => {
    const form = new FormData();
    form.set("purpose", "user_data");
    form.set("file", new File([new Uint8Array(bytes)], name, { type }));
    const response = await app.fetch(
      new Request("http://127.0.0.1/v1/files", {
        method: "POST",
        headers: { Authorization: "Bearer ann-key-ann-key" },
        body: form,
      }),
    );
    return (await response.json()) as { readonly id: string };
  };
  return { app, store, send, upload };
};

// Contract: files-4
test("a link to a file works without a key, for that file and until its expiry", async () => {
  const { app, send, upload } = setup();
  const file = await upload("p.png", "image/png", png);
  const other = await upload("q.png", "image/png", png);
  assert.equal(
    (await send("POST", `/v1/files/${file.id}/link`, undefined, "bob-key-bob-key")).status,
    404,
  );
  const made = await send("POST", `/v1/files/${file.id}/link`);
  const { url, expires_at: expiresAt } = (await made.json()) as {
    readonly url: string;
    readonly expires_at: number;
  };
  assert.ok(expiresAt * 1_000 > Date.now() + fileLinkMs - 60_000);
  assert.ok(!url.includes("ann"));
  const get = (address: string) => app.fetch(new Request(address));
  assert.ok(Buffer.from(await (await get(url)).arrayBuffer()).equals(png));
  const token = new URL(url).searchParams.get("token") ?? "";
  const flipped = token.slice(0, -3) + (token.at(-3) === "A" ? "B" : "A") + token.slice(-2);
  for (const changed of [
    url.replace(file.id, other.id),
    url.replace(token, flipped),
    url.replace(token, ""),
    url.replace(token, "capstan1."),
  ])
    assert.equal((await get(changed)).status, 403);
  const { sealer } = app.services;
  const now = Date.now() - fileLinkMs;
  const origin = "http://127.0.0.1";
  const old = createFileLink({ sealer, origin, owner: "ann", fileId: file.id, now });
  assert.equal((await get(old.url)).status, 403);
  const bobs = createFileLink({ sealer, origin, owner: "bob", fileId: file.id });
  assert.equal((await get(bobs.url)).status, 404);
  await send("DELETE", `/v1/files/${file.id}`);
  assert.equal((await get(url)).status, 404);
  assert.equal(openFileLink({ sealer, fileId: other.id, token }), undefined);
});

// Contract: files-5
test("linked files are attachments in a sandbox, and other sites can show only pictures", async () => {
  const { app, send, upload } = setup();
  for (const [name, type, bytes, policy] of [
    ["p.png", "image/png", png, "cross-origin"],
    ["p.svg", "image/svg+xml", html, "same-origin"],
    ["p.html", "text/html", html, "same-origin"],
  ] as const) {
    const { id } = await upload(name, type, bytes);
    const { url } = (await (await send("POST", `/v1/files/${id}/link`)).json()) as {
      readonly url: string;
    };
    const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" };
    const response = await app.fetch(new Request(url, { headers }));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cross-origin-resource-policy"), policy);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.match(response.headers.get("content-security-policy") ?? "", /sandbox/);
    assert.match(response.headers.get("content-disposition") ?? "", /^attachment/);
    // Without a link, pages of other sites cannot even reach the file.
    const direct = new Request(`http://127.0.0.1/v1/files/${id}/content`, { headers });
    direct.headers.set("Authorization", "Bearer ann-key-ann-key");
    assert.equal((await app.fetch(direct)).status, 403);
  }
});

test("HEAD has the headers of a file and opens none of its bytes", async (t) => {
  const { app, store, upload } = setup();
  const { id } = await upload("p.png", "image/png", png);
  const opened = t.mock.method(store, "streamBlob");
  const { url } = createFileLink({
    sealer: app.services.sealer,
    origin: "http://127.0.0.1",
    owner: "ann",
    fileId: id,
  });
  const headers = { Authorization: "Bearer ann-key-ann-key" };
  for (const address of [url, `http://127.0.0.1/v1/files/${id}/content`])
    for (const [range, status, length] of [
      [undefined, 200, "8"],
      ["bytes=2-4", 206, "3"],
    ] as const) {
      const request = new Request(address, { method: "HEAD", headers });
      if (range !== undefined) request.headers.set("Range", range);
      const response = await app.fetch(request);
      assert.deepEqual([response.status, response.body], [status, null]);
      assert.equal(response.headers.get("content-length"), length);
      assert.equal(response.headers.get("content-type"), "image/png");
    }
  assert.equal(opened.mock.callCount(), 0);
  assert.equal((await app.fetch(new Request(url))).status, 200);
  assert.equal(opened.mock.callCount(), 1);
});

interface Completion {
  readonly id: string;
  readonly choices: readonly {
    readonly message: {
      readonly content: string;
      readonly images?: readonly { readonly image_url: { readonly url: string } }[];
      readonly files?: readonly { readonly file: object }[];
    };
  }[];
}

const complete = {
  model: "scripted",
  messages: [{ role: "user", content: "Draw" }],
  tools: toyTools,
};
const drawThenSay = [{ calls: [{ name: "Draw" }] }, "Done."];

// Contract: files-6
test("a stored completion has a tool's image and links to its files", async () => {
  const { app, send } = setup(drawThenSay);
  const response = await send("POST", "/v1/chat/completions", { ...complete, store: true });
  const completion = (await response.json()) as Completion;
  const check = async ({ choices: [choice] }: Completion) => {
    const { content, images } = choice?.message ?? { content: "" };
    const image = await app.fetch(new Request(images?.[0]?.image_url.url ?? ""));
    assert.ok(Buffer.from(await image.arrayBuffer()).equals(png));
    const [, name, link = ""] =
      /^Done\.\n\n\[(.*)\]\((http[^() ]*)(?: "[^"]*")?\)$/.exec(content) ?? [];
    assert.equal(name, "a\\](b).html");
    const file = await app.fetch(new Request(link));
    assert.match(file.headers.get("content-disposition") ?? "", /^attachment/);
    assert.ok(Buffer.from(await file.arrayBuffer()).equals(html));
  };
  await check(completion);
  await check(
    (await (await send("GET", `/v1/chat/completions/${completion.id}`)).json()) as Completion,
  );
});

// Contract: files-6
test("a completion that is not stored has the bytes of a tool's image and files", async () => {
  const { store, send } = setup([...drawThenSay, ...drawThenSay]);
  const response = await send("POST", "/v1/chat/completions", complete);
  const { choices } = (await response.json()) as Completion;
  assert.deepEqual(choices[0]?.message.images, [
    { type: "image_url", image_url: { url: `data:image/png;base64,${png.toString("base64")}` } },
  ]);
  assert.deepEqual(choices[0]?.message.files, [
    {
      type: "file",
      file: {
        filename: "a](b).html",
        file_data: `data:text/html;base64,${html.toString("base64")}`,
      },
    },
  ]);
  assert.equal(choices[0]?.message.content, "Done.");
  assert.deepEqual(await store.listFiles({ owner: "ann" }), { data: [], hasMore: false });

  const stream = await send("POST", "/v1/chat/completions", { ...complete, stream: true });
  assert.match(await stream.text(), /"delta":\{"images":\[\{"type":"image_url"/);
});

// Contract: files-6
test("links do not follow an answer that must be JSON", async () => {
  const { send } = setup([{ calls: [{ name: "Draw" }] }, "{}"]);
  const response_format = { type: "json_object" };
  const body = { ...complete, store: true, response_format };
  const completion = (await (
    await send("POST", "/v1/chat/completions", body)
  ).json()) as Completion;
  assert.equal(completion.choices[0]?.message.content, "{}");
});
