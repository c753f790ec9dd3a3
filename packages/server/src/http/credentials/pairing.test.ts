import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock, ScriptedModel } from "@capstan/core/testing";
import { withDataDir } from "@capstan/store/testing";
import { createTestApp, requestTo } from "../../testing/app-fixtures.ts";
import { openPairing, terminalKeyFile } from "./pairing.ts";

const host = "127.0.0.1:8787";

/** A server with keys, and requests of a browser and of a terminal. */
function paired(folder: string, clock = new FakeClock()) {
  const pairing = openPairing({ folder, clock });
  const { fetch } = createTestApp({
    model: new ScriptedModel([]),
    apiKeys: [{ name: "bot", key: "bot" }],
    pairing,
  });
  async function send(method: string, path: string, headers: object = {}, body?: object) {
    const request = requestTo(method, path, body);
    for (const [name, value] of Object.entries({ host, ...headers }))
      request.headers.set(name, value);
    return fetch(request);
  }
  async function pair(code: string) {
    const response = await send("POST", "/v1/sessions", {}, { code });
    const cookie = response.headers.get("set-cookie") ?? "";
    const body = (await response.json()) as { id: string; anti_forgery_token: string };
    return {
      status: response.status,
      setCookie: cookie,
      id: body.id,
      token: body.anti_forgery_token,
      headers: { cookie: cookie.split(";")[0] ?? "", "x-csrf-token": body.anti_forgery_token },
    };
  }
  const info = async (headers: object) => {
    const response = await send("GET", "/v1/capstan", headers);
    return response.status === 200
      ? ((await response.json()) as { rights: readonly string[] }).rights.join()
      : response.status;
  };
  return { pairing, clock, send, pair, info };
}

test("a code pairs one browser, once, and its session has every right", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, info } = paired(folder);
    const { code } = pairing.createCode();
    const first = await pair(code);
    assert.equal(await info(first.headers), "ask,approve,admin");
    assert.equal((await pair(code)).status, 403);
    assert.equal((await pair("guess")).status, 403);
    assert.equal(await info({}), 401);
    assert.equal(await info({ ...first.headers, cookie: `${first.headers.cookie}x` }), 401);
  });
});

test("a code is not accepted after 10 minutes", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, clock } = paired(folder);
    const { code } = pairing.createCode();
    clock.advance(10 * 60_000);
    assert.equal((await pair(code)).status, 403);
  });
});

test("changing the system time neither expires a code nor extends it", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, clock } = paired(folder);
    const [first, second] = [pairing.createCode(), pairing.createCode()];
    clock.set(3_600_000);
    assert.equal((await pair(first.code)).status, 200);
    clock.set(-7_200_000);
    clock.advance(10 * 60_000);
    assert.equal((await pair(second.code)).status, 403);
  });
});

test("scripts cannot read a session's cookie, and other sites do not send it", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, send } = paired(folder);
    const { setCookie } = await pair(pairing.createCode().code);
    assert.match(setCookie, /^capstan_session_8787=.*; HttpOnly; SameSite=Strict$/);
    const { code } = pairing.createCode();
    const behindTls = await send(
      "POST",
      "/v1/sessions",
      { "x-forwarded-proto": "https" },
      { code },
    );
    assert.match(behindTls.headers.get("set-cookie") ?? "", /; Secure/);
  });
});

test("a session reads and changes nothing without its anti-forgery token", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, send } = paired(folder);
    const { headers, token } = await pair(pairing.createCode().code);
    const other = await pair(pairing.createCode().code);
    const { cookie } = headers;
    for (const [method, body] of [["GET"], ["POST", {}]] as const) {
      const status = async (more: object) =>
        (await send(method, "/v1/conversations", { cookie, ...more }, body)).status;
      assert.equal(await status({}), 401);
      assert.equal(await status({ "x-csrf-token": other.token }), 401);
      assert.equal(await status({ "x-csrf-token": token }), 200);
    }
  });
});

test("only a terminal can list and revoke sessions", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, send, info } = paired(folder);
    pairing.announce(8_787);
    const key = readFileSync(terminalKeyFile(folder, 8_787), "utf8");
    const terminal = { authorization: `Bearer ${key}` };
    const browser = await pair(pairing.createCode().code);
    for (const headers of [browser.headers, { authorization: "Bearer bot" }]) {
      assert.equal((await send("POST", "/v1/pairings", headers, {})).status, 403);
      assert.equal((await send("GET", "/v1/sessions", headers)).status, 403);
      assert.equal((await send("DELETE", `/v1/sessions/${browser.id}`, headers)).status, 403);
    }
    const listed = await (await send("GET", "/v1/sessions", terminal)).text();
    assert.match(listed, new RegExp(browser.id));
    assert.equal(await info(terminal), "ask,approve,admin");
    assert.equal((await send("DELETE", `/v1/sessions/${browser.id}`, terminal)).status, 200);
    assert.equal((await send("DELETE", `/v1/sessions/${browser.id}`, terminal)).status, 404);
    assert.equal(await info(browser.headers), 401);
    pairing.close();
    assert.deepEqual(readdirSync(folder), ["sessions.json"]);
  });
});

test("sessions survive a restart of the server and expire after 90 days without use", async () => {
  await withDataDir(async (folder) => {
    const first = paired(folder);
    const { headers } = await first.pair(first.pairing.createCode().code);
    const { info, clock } = paired(folder);
    for (let uses = 0; uses < 3; uses++) {
      clock.advance(89 * 24 * 3_600_000);
      assert.equal(await info(headers), "ask,approve,admin");
    }
    clock.advance(90 * 24 * 3_600_000);
    assert.equal(await info(headers), 401);
  });
});

test("stored sessions do not reveal usable tokens, and only their user can read the file", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair } = paired(folder);
    const { code } = pairing.createCode();
    const { headers, token } = await pair(code);
    pairing.announce(1);
    for (const name of readdirSync(folder))
      assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
    const text = readFileSync(join(folder, "sessions.json"), "utf8");
    const cookie = headers.cookie.split("=")[1] ?? assert.fail();
    for (const secret of [code, token, cookie]) assert.doesNotMatch(text, new RegExp(secret));
  });
});

test("a corrupt session file ends all sessions, and browsers can pair again", async () => {
  await withDataDir(async (folder) => {
    const { pairing, pair, info } = paired(folder);
    const before = await pair(pairing.createCode().code);
    for (const text of ["", "null", '{"sessions":[{"id":1}]}', "[".repeat(100_000)]) {
      writeFileSync(join(folder, "sessions.json"), text);
      assert.equal(await info(before.headers), 401);
      assert.equal(
        await info((await pair(pairing.createCode().code)).headers),
        "ask,approve,admin",
      );
    }
  });
});
