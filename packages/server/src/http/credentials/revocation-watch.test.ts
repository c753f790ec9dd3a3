import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { withDataDir } from "@capstan/store/testing";
import { createTestApp, requestTo } from "../../testing/app-fixtures.ts";
import { openPairing, terminalKeyFile } from "./pairing.ts";
import { openProgramKeys } from "./program-keys.ts";
import { createRevocationWatch } from "./revocation-watch.ts";

function app(folder: string) {
  const pairing = openPairing({ folder });
  const programKeys = openProgramKeys({ folder });
  const { fetch } = createTestApp({ model: new ScriptedModel([]), pairing, programKeys });
  const send = (method: string, path: string, headers: { readonly [name: string]: string }) => {
    const request = requestTo(method, path);
    request.headers.set("host", "127.0.0.1:8787");
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    return fetch(request);
  };
  return { pairing, programKeys, send };
}

/** Opens the event stream, reads its first event, and returns the rest. */
async function follow(response: Response) {
  assert.equal(response.status, 200);
  const reader = response.body!.getReader();
  assert.match(new TextDecoder().decode((await reader.read()).value), /event: resync/);
  return reader;
}

test("the event stream of a browser ends as soon as its session is revoked", async () => {
  await withDataDir(async (folder) => {
    const { pairing, send } = app(folder);
    pairing.announce(8787);
    const terminal = readFileSync(terminalKeyFile(folder, 8787), "utf8");
    const pair = () => {
      const { session, token, antiForgeryToken } = pairing.redeem(pairing.createCode().code, "")!;
      const headers = {
        cookie: `capstan_session_8787=${token}`,
        "x-csrf-token": antiForgeryToken,
      };
      return { id: session.id, headers };
    };
    const [lost, other] = [pair(), pair()];
    const ended = await follow(await send("GET", "/v1/events", lost.headers));
    const left = await follow(await send("GET", "/v1/events", other.headers));
    const headers = { authorization: `Bearer ${terminal}` };
    assert.equal((await send("DELETE", `/v1/sessions/${lost.id}`, headers)).status, 200);
    assert.equal((await ended.read()).done, true);
    assert.equal((await send("GET", "/v1/events", lost.headers)).status, 200);
    const next = left.read();
    assert.equal(
      await Promise.race([next, new Promise((done) => setImmediate(done, "open"))]),
      "open",
    );
    await left.cancel();
    pairing.close();
  });
});

test("the event stream of a program ends after another process revoked its key", async () => {
  await withDataDir(async (folder) => {
    const { programKeys, send } = app(folder);
    const { key } = programKeys.create("codex");
    const headers = { authorization: `Bearer ${key}` };
    const stream = await follow(await send("GET", "/v1/events", headers));
    openProgramKeys({ folder }).revoke("codex");
    assert.equal((await stream.read()).done, true);
    assert.equal((await send("GET", "/v1/events", headers)).status, 401);
  });
});

test("a guarded stream passes on its events, its end and a disconnect", async () => {
  const watch = createRevocationWatch();
  const cancelled: unknown[] = [];
  const streamOf = (...events: string[]) =>
    watch.guard(
      new Response(
        new ReadableStream({
          pull(controller) {
            const event = events.shift();
            if (event === undefined) controller.close();
            else controller.enqueue(new TextEncoder().encode(event));
          },
          cancel: (reason) => void cancelled.push(reason),
        }),
        { status: 201, headers: { "Content-Type": "text/event-stream", "X-More": "x" } },
      ),
      () => true,
    );
  const response = streamOf("a", "b");
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("x-more"), "x");
  assert.equal(await response.text(), "ab");
  await streamOf("a", "b", "c").body!.cancel("left");
  assert.deepEqual(cancelled, ["left"]);
});
