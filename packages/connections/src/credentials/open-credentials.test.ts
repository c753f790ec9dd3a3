import assert from "node:assert/strict";
import { test } from "node:test";
import { memorySecrets } from "../testing/memory-secrets.ts";
import { openCredentials, type Refresh, type RefreshableCredential } from "./open-credentials.ts";
import { testSealer } from "../testing/test-sealer.ts";

const server = {
  issuer: "https://as.example",
  token_endpoint: "https://as.example/token",
  authorization_endpoint: "https://as.example/authorize",
  response_types_supported: ["code"],
};
const signal = new AbortController().signal;
const access = (given: Partial<RefreshableCredential["tokens"]> = {}): RefreshableCredential => ({
  type: "oauth",
  server,
  client: { client_id: "capstan" },
  tokens: { accessToken: "canary-access-1", refreshToken: "canary-refresh-1", ...given },
});

/** Two nodes that share the stored secrets. */
function nodes(refresh: Refresh = () => Promise.reject(new Error("unused"))) {
  let now = 1_000_000;
  const clock = { now: () => now };
  const store = memorySecrets(clock);
  const open = (sealer = testSealer("key")) =>
    openCredentials({ store, sealer, refresh, ownersFor: (one) => [one, ""], clock });
  return { store, open, one: open(), other: open(), pass: (ms: number) => (now += ms) };
}

const ask = (source: ReturnType<typeof nodes>["one"], owner = "ann", rejected?: number) =>
  source.forRequest({
    connection: "tickets",
    owner,
    signal,
    ...(rejected !== undefined && { rejected }),
  });

test("each user gets their own credential, else the shared one, and never that of another user", async () => {
  const { one } = nodes();
  assert.deepEqual(await ask(one), { status: "none" });
  await one.set("tickets", "ann", { type: "bearer", token: "of-ann" });
  assert.deepEqual(await ask(one, "ben"), { status: "none" });
  await one.set("tickets", "", { type: "bearer", token: "of-all" });
  const headersOf = async (owner: string) => {
    const answer = await ask(one, owner);
    return answer.status === "ready" && answer.headers["authorization"];
  };
  assert.equal(await headersOf("ann"), "Bearer of-ann");
  assert.equal(await headersOf("ben"), "Bearer of-all");
  await one.remove("tickets", "ann");
  assert.equal(await headersOf("ann"), "Bearer of-all");
});

test("50 calls of two nodes with a rejected token make one refresh", async () => {
  let refreshes = 0;
  const { one, other, store } = nodes(async (_name, given) => {
    refreshes++;
    assert.equal(given.tokens?.refreshToken, "canary-refresh-1");
    await new Promise((resolve) => setImmediate(resolve));
    return {
      status: "refreshed",
      tokens: { accessToken: "canary-access-2", refreshToken: "canary-refresh-2" },
    };
  });
  await one.set("tickets", "ann", access());
  const first = await ask(one);
  assert.ok(first.status === "ready");
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => ask(n % 2 === 0 ? one : other, "ann", first.revision)),
  );
  assert.equal(refreshes, 1);
  for (const answer of answers)
    assert.equal(
      answer.status === "ready" && answer.headers["authorization"],
      "Bearer canary-access-2",
    );
  // A call that was rejected before the refresh gets the new token.
  assert.equal((await ask(other, "ann", first.revision)).status, "ready");
  assert.equal(refreshes, 1);
  assert.doesNotMatch(JSON.stringify(await store.list()), /canary/);
});

test("a token is refreshed early; if that fails, it is used until it expires", async () => {
  let isUp = false;
  const { one, pass } = nodes(() =>
    Promise.resolve(
      isUp
        ? { status: "refreshed", tokens: { accessToken: "canary-access-2" } }
        : { status: "failed", reason: "503" },
    ),
  );
  await one.set("tickets", "ann", access({ expiresAt: 1_000_000 + 3_600_000 }));
  pass(3_600_000 - 30_000);
  const early = await ask(one);
  assert.equal(early.status === "ready" && early.secrets[0], "canary-access-1");
  pass(60_000);
  const late = await ask(one);
  assert.equal(late.status, "unavailable");
  assert.match("message" in late ? late.message : "", /expired.*503/);
  isUp = true;
  const renewed = await ask(one);
  assert.equal(renewed.status === "ready" && renewed.secrets[0], "canary-access-2");
});

test("a rejected refresh needs a sign-in, and never deletes a newer credential", async () => {
  const { one, other } = nodes(() => Promise.resolve({ status: "rejected", reason: "revoked" }));
  await one.set("tickets", "ann", access());
  const first = await ask(one);
  assert.ok(first.status === "ready");
  const answer = await ask(one, "ann", first.revision);
  assert.match(
    answer.status === "needs_sign_in" ? answer.message : "",
    /capstan connections login tickets/,
  );
  assert.equal((await other.describe("tickets", "ann"))?.state, "needs_sign_in");
  await other.set("tickets", "ann", access({ accessToken: "canary-access-3" }));
  assert.equal((await ask(one)).status, "ready");

  const late = nodes(async () => {
    await late.other.set("tickets", "ann", access({ accessToken: "canary-access-4" }));
    return { status: "rejected", reason: "revoked" };
  });
  await late.one.set("tickets", "ann", access());
  const used = await ask(late.one);
  assert.ok(used.status === "ready");
  const after = await ask(late.one, "ann", used.revision);
  assert.equal(after.status === "ready" && after.secrets[0], "canary-access-4");
});

test("a rejected key is not sent again, and the message says what to do", async () => {
  const { one } = nodes();
  await one.set("tickets", "ann", { type: "bearer", token: "canary-key" });
  const first = await ask(one);
  assert.ok(first.status === "ready");
  const answer = await ask(one, "ann", first.revision);
  assert.equal(answer.status, "needs_sign_in");
  assert.doesNotMatch(JSON.stringify(answer), /canary/);
});

test("a secret that was copied to another user or connection cannot be read", async () => {
  const { one, store } = nodes();
  await one.set("tickets", "ann", { type: "bearer", token: "canary-key" });
  const [stolen] = await store.list();
  assert.ok(stolen);
  for (const place of [{ owner: "ben" }, { connection: "other" }])
    await store.save({ ...stolen, ...place }, { sealed: stolen.sealed });
  const of = (connection: string, owner: string) => one.forRequest({ connection, owner, signal });
  for (const answer of [await of("tickets", "ben"), await of("other", "ann")])
    assert.equal(answer.status, "needs_sign_in");
});

test("secrets are encrypted again after a key rotation; the error about a lost key says what to do", async () => {
  const { one, open, store } = nodes();
  await one.set("tickets", "ann", { type: "bearer", token: "canary-key" });
  const lost = open(testSealer("another"));
  const answer = await ask(lost);
  assert.match("message" in answer ? answer.message : "", /CAPSTAN_SECRET_KEY.*sealing\.key/);
  assert.equal((await lost.describe("tickets", "ann"))?.state, "unreadable");
  assert.deepEqual(await lost.encryptAgain(), { count: 0, unreadable: ["tickets"] });
  const both = open(testSealer("another", "key"));
  assert.deepEqual(await both.encryptAgain(), { count: 1, unreadable: [] });
  assert.equal((await ask(lost)).status, "ready");
  assert.equal((await ask(one)).status, "needs_sign_in");
  assert.equal((await store.list()).length, 1);
});
