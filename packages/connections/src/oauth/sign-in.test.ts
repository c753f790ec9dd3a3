import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signInAs, startOAuthServers, type OAuthServers } from "../testing/oauth-servers.ts";
import { textOf } from "../testing/read-results.ts";
import { executorOf } from "../testing/test-connections.ts";
import { testService } from "../testing/test-service.ts";

const redirect = { redirect_uri: "http://127.0.0.1:9/connections/callback" };

let servers: OAuthServers;
before(async () => (servers = await startOAuthServers()));
after(() => servers[Symbol.asyncDispose]());

type Opened = Awaited<ReturnType<typeof testService>>;

/** Opens a service with a connection to the MCP server. */
async function open(more: object = {}): Promise<Opened> {
  servers.seen.length = 0;
  delete servers.answer;
  delete servers.demandedScope;
  const opened = await testService();
  const made = await opened.service.create({ name: "tickets", url: servers.url, ...more }, "ann", {
    mayApprove: true,
  });
  assert.equal(made.status, "done");
  return opened;
}

/** Signs in as a user, and returns the answer of the authorization server. */
async function signIn({ service }: Opened, principal = "ann") {
  const started = await service.signIn("tickets", redirect, principal);
  assert.ok(started.status === "done", JSON.stringify(started));
  const back = await signInAs(principal, started.value.url);
  return Object.fromEntries(back.searchParams) as { state: string; code: string; iss: string };
}

const call = async ({ connections }: Opened, principal = "ann") =>
  textOf(
    await executorOf(connections, { principal: { id: principal } }).execute("echo", { text: "a" }),
  );

const tokensOf = async ({ credentials }: Opened, principal = "ann") => {
  const given = await credentials.read("tickets", principal);
  assert.ok(given?.type === "oauth");
  return given.tokens;
};

test("a user signs in at a server that was added by its address, and its tools work", async () => {
  await using opened = await open();
  const before = await opened.service.get("tickets", "ann");
  assert.equal(before?.state, "needs_sign_in");
  const finished = await opened.service.finishSignIn(await signIn(opened), "ann");
  assert.ok(finished.status === "done", JSON.stringify(finished));
  assert.equal(finished.value.status, "signed_in");
  const after = await opened.service.get("tickets", "ann");
  assert.equal(after?.state, "ready");
  assert.equal(after?.credential?.issuer, servers.issuer);
  assert.equal(after?.tools, 1);
  assert.match(await call(opened), /^ann says .*"text":"a".* with \[secret\]$/);
  // Another user has no access, and gets no token of the first one.
  assert.match(await call(opened, "ben"), /sign_in_needed.*capstan connections login tickets/s);
  const { accessToken, refreshToken = "" } = await tokensOf(opened);
  const shown = JSON.stringify([
    after,
    await opened.service.list("ben"),
    await opened.secrets.list(),
    opened.connections.log,
  ]);
  for (const secret of [accessToken, refreshToken]) assert.ok(!shown.includes(secret));
});

test("50 calls with a token that has expired make one refresh", async () => {
  await using opened = await open();
  await opened.service.finishSignIn(await signIn(opened), "ann");
  assert.match(await call(opened), /ann says/);
  const before = await tokensOf(opened);
  await (await servers.provider.AccessToken.find(before.accessToken))?.destroy();
  const texts = await Promise.all(Array.from({ length: 50 }, () => call(opened)));
  for (const text of texts) assert.match(text, /^ann says/);
  assert.equal(servers.grants("refresh_token").length, 1);
  assert.notEqual((await tokensOf(opened)).accessToken, before.accessToken);
});

test("a revoked access needs a sign-in, and its error says what a user must do", async () => {
  await using opened = await open();
  await opened.service.finishSignIn(await signIn(opened), "ann");
  const { accessToken, refreshToken = "" } = await tokensOf(opened);
  await (await servers.provider.AccessToken.find(accessToken))?.destroy();
  await (await servers.provider.RefreshToken.find(refreshToken))?.destroy();
  const text = await call(opened);
  assert.match(text, /sign_in_needed.*expired or was revoked.*capstan connections login tickets/s);
  assert.ok(!text.includes(refreshToken));
  assert.equal((await opened.service.get("tickets", "ann"))?.state, "needs_sign_in");
  assert.equal((await opened.service.get("tickets", "ann"))?.credential?.state, "needs_sign_in");
  await call(opened);
  assert.equal(servers.grants("refresh_token").length, 1, "it is not tried again");
  await opened.service.finishSignIn(await signIn(opened), "ann");
  assert.match(await call(opened), /ann says/);
});

test("an unreachable authorization server deletes no token", async () => {
  await using opened = await open();
  await opened.service.finishSignIn(await signIn(opened), "ann");
  const { accessToken } = await tokensOf(opened);
  await (await servers.provider.AccessToken.find(accessToken))?.destroy();
  servers.answer = (path, response) => {
    if (path !== "/token") return false;
    response.writeHead(503).end("down");
    return true;
  };
  assert.match(await call(opened), /not_connected.*cannot be refreshed now/s);
  delete servers.answer;
  assert.match(await call(opened), /ann says/);
});

test("a sign-in can be completed once, by the user who started it, within ten minutes", async () => {
  await using opened = await open();
  const answer = await signIn(opened);
  const { service, secrets } = opened;
  const statusOf = async (given: object, principal = "ann") => {
    const result = await service.finishSignIn({ ...answer, ...given }, principal);
    return result.status === "failed" ? result.code : result.status;
  };
  assert.equal(await statusOf({}, "ben"), "unknown_sign_in");
  assert.equal(await statusOf({ state: "tickets.guessed" }), "unknown_sign_in");
  assert.equal(await statusOf({ state: "other.guessed" }), "not_found");
  assert.equal(await statusOf({}), "done");
  assert.equal(await statusOf({}), "unknown_sign_in");

  const late = await signIn(opened);
  for (const secret of await secrets.list())
    if (secret.field.startsWith("sign-in"))
      await secrets.save(secret, { sealed: secret.sealed, expiresAt: Date.now() - 1 });
  assert.equal(await statusOf(late), "unknown_sign_in");
});

test("an answer of another authorization server or with an error stores nothing", async () => {
  await using opened = await open();
  const { service, credentials } = opened;
  for (const change of [
    { iss: "https://attacker.example" },
    { iss: undefined },
    { code: undefined, error: "access_denied" },
  ]) {
    const answer = { ...(await signIn(opened)), ...change } as { state: string };
    const before = servers.grants("authorization_code").length;
    const result = await service.finishSignIn(answer, "ann");
    assert.equal(result.status, "failed");
    assert.equal(servers.grants("authorization_code").length, before, "no code was sent");
    assert.equal(await credentials.read("tickets", "ann"), undefined);
  }
});

test("a sign-out revokes the tokens and deletes them", async () => {
  await using opened = await open();
  await opened.service.finishSignIn(await signIn(opened), "ann");
  const { accessToken, refreshToken = "" } = await tokensOf(opened);
  const out = await opened.service.removeCredential("tickets", { shared: false }, "ann");
  assert.ok(out.status === "done" && out.value.revoked === true);
  const { provider } = servers;
  assert.equal(await provider.RefreshToken.find(refreshToken), undefined);
  assert.equal(await provider.AccessToken.find(accessToken), undefined);
  assert.deepEqual(await opened.secrets.list(), []);
  assert.match(await call(opened), /sign_in_needed/);
});

test("scopes that a call demands are requested at the next sign-in", async () => {
  await using opened = await open();
  await opened.service.finishSignIn(await signIn(opened), "ann");
  servers.demandedScope = "admin";
  assert.match(await call(opened), /sign_in_needed.*more permissions: admin/s);
  await opened.service.finishSignIn(await signIn(opened), "ann");
  assert.match(await call(opened), /ann says/);
});

test("a program signs in with its own credentials, without a user", async () => {
  await using opened = await open();
  const set = await opened.service.setCredential(
    "tickets",
    {
      type: "client_credentials",
      client_id: "machine",
      client_secret: "canary-machine-secret",
      scope: "mcp",
      shared: true,
    },
    "ann",
  );
  assert.equal(set.status, "done", JSON.stringify(set));
  assert.ok(set.status === "done");
  assert.equal(set.value.error, null);
  assert.match(await call(opened, "ben"), /^client says/);
  assert.equal(servers.grants("client_credentials").length, 1);
  assert.doesNotMatch(JSON.stringify(set), /canary/);
});

test("a user signs in with a code on another device", async () => {
  await using opened = await open();
  const started = await opened.service.signIn("tickets", {}, "ann");
  assert.ok(started.status === "done", JSON.stringify(started));
  const { state, url, user_code: code } = started.value;
  assert.match(code ?? "", /^[A-Z0-9-]+$/);
  const waiting = await opened.service.finishSignIn({ state }, "ann");
  assert.ok(waiting.status === "done" && waiting.value.status === "waiting");
  await signInAs("ann", url);
  const finished = await opened.service.finishSignIn({ state }, "ann");
  assert.ok(finished.status === "done" && finished.value.status === "signed_in");
  assert.match(await call(opened), /ann says/);
});

test("an authorization server in a private network is rejected, unless a user names it", async () => {
  await using opened = await open();
  const signInWith = async (change: object) => {
    servers.answer = (path, response) => {
      if (path !== "/.well-known/oauth-protected-resource/mcp") return false;
      response.writeHead(200, { "content-type": "application/json" });
      const metadata = { resource: servers.url, authorization_servers: [servers.issuer] };
      response.end(JSON.stringify({ ...metadata, ...change }));
      return true;
    };
    const result = await opened.service.signIn("tickets", redirect, "ann");
    return result.status === "failed" ? `${result.code}: ${result.message}` : result.status;
  };
  for (const issuer of ["https://169.254.169.254", "http://10.0.0.1", "http://127.0.0.1:1"])
    assert.match(await signInWith({ authorization_servers: [issuer] }), /^unsafe_address.*private/);
  assert.match(
    await signInWith({ resource: "https://other.example/mcp" }),
    /^unsafe_address: .*claims to be the resource/,
  );
  for (const endpoint of ["file:///etc/passwd", "javascript:alert(1)", "https://10.0.0.1/x"]) {
    servers.answer = (path, response) => {
      if (!/openid-configuration|oauth-authorization-server/.test(path)) return false;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          issuer: servers.issuer,
          authorization_endpoint: endpoint,
          token_endpoint: `${servers.issuer}/token`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
        }),
      );
      return true;
    };
    const result = await opened.service.signIn("tickets", redirect, "ann");
    assert.equal(result.status, "failed");
  }
  for (const uri of ["https://attacker.example/x", "http://10.0.0.1/x", "javascript:x"]) {
    delete servers.answer;
    const result = await opened.service.signIn("tickets", { redirect_uri: uri }, "ann");
    assert.ok(result.status === "failed" && result.code === "unsafe_address");
  }
});

test("the error says that a server has no authorization server", async () => {
  await using opened = await open();
  servers.answer = (path, response) => {
    if (!path.startsWith("/.well-known/")) return false;
    response.writeHead(404).end();
    return true;
  };
  const result = await opened.service.signIn("tickets", redirect, "ann");
  assert.ok(result.status === "failed");
  assert.match(result.message, /no sign-in with OAuth.*--key/);
});

test("a wrong key is stored, and its connection needs a sign-in", async () => {
  await using opened = await open();
  const { service } = opened;
  const set = await service.setCredential(
    "tickets",
    { type: "bearer", token: "canary-wrong-key" },
    "ann",
  );
  assert.ok(set.status === "done");
  assert.equal(set.value.state, "needs_sign_in");
  assert.match(set.value.error ?? "", /rejects the stored credential/);
  assert.doesNotMatch(JSON.stringify(set), /canary/);
});

test("names, addresses and secrets of new connections are checked, and no message has a value", async () => {
  await using opened = await open();
  const { service } = opened;
  for (const [body, field] of [
    [{ name: "A B", url: servers.url }, "name"],
    [{ name: "a" }, "url"],
    [{ name: "a", url: "ftp://canary" }, "url"],
    [{ name: "a", url: "https://canary:canary@a.example" }, "url"],
    [{ name: "a", url: servers.url, args: ["canary"] }, "args"],
    [{ name: "a", command: "x", read: ["canary"] }, "read.0"],
    [{ name: "a", command: "x", env: { "A B": "canary" } }, "env.A B"],
    [{ name: "a", url: servers.url, oauth: { issuer: "canary" } }, "oauth.issuer"],
  ] as const) {
    const made = await service.create(body, "ann", { mayApprove: true });
    assert.equal(made.status === "invalid" && made.field, field);
    assert.doesNotMatch(JSON.stringify(made), /canary/);
  }
  for (const name of ["files", "tickets"])
    assert.equal(
      (await service.create({ name, url: servers.url }, "ann", { mayApprove: true })).status,
      "conflict",
    );
});
