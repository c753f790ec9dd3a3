import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createClient } from "@capstan/client";
import { signInAs, startOAuthServers } from "@capstan/connections/testing";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { startInstallation } from "./start-installation.ts";

/** Starts a server in a new folder, with a client. */
async function start(folder: string, settings: { readonly publicUrl?: string } = {}) {
  await writeFile(join(folder, "capstan.config.json"), JSON.stringify(settings));
  const loaded = await loadConfiguration({
    directory: folder,
    environment: {},
    flags: { data: join(folder, "data"), port: "0" },
  });
  assert.ok(loaded.status === "valid");
  const log: string[] = [];
  const { configuration } = loaded;
  const installation = await startInstallation({
    configuration,
    environment: {},
    log: (line) => void log.push(line),
  });
  const client = createClient({ url: installation.url });
  const ask = async (input: string) => {
    const response = await fetch(`${installation.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "capstan/offline",
        input,
        tools: [
          {
            type: "mcp",
            server_label: "tickets",
            server_url: "capstan://groups/tickets",
            require_approval: "never",
          },
        ],
      }),
    });
    return response.text();
  };
  return { ...installation, log, client, ask };
}

/** Returns the text of all files below a folder. */
async function everything(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

test("a user adds a server, signs in, and its tools work after a restart; no token is readable anywhere", async () => {
  await using servers = await startOAuthServers();
  const folder = await mkdtemp(join(tmpdir(), "capstan-connections-"));
  try {
    const first = await start(folder);
    const { client } = first;
    const added = await client.addConnection({ name: "tickets", url: servers.url });
    assert.equal(added.state, "needs_sign_in");
    const [listed] = (await client.toolGroups()).filter(({ name }) => name === "tickets");
    assert.equal(listed?.tools.length, 0);
    assert.equal(listed?.connection?.state, "needs_sign_in");

    const started = await client.startSignIn("tickets", {
      redirect_uri: `${first.url}/connections/callback`,
    });
    const back = await signInAs("ann", started.url);
    const answer = Object.fromEntries(back.searchParams) as { state: string };
    const finished = await client.finishSignIn(answer);
    assert.equal(finished.status, "signed_in");
    const connected = await client.connection("tickets");
    assert.deepEqual([connected.state, connected.tools], ["ready", 1]);
    const answered = await first.ask('/echo {"text": "hello"}');
    assert.match(answered, /ann says .*hello/);
    const rotated = await client.rotateKey();
    assert.deepEqual([rotated.encrypted, rotated.unreadable], [1, []]);
    await first.close({ graceMs: 0 });

    const second = await start(folder);
    const again = await second.ask('/echo {"text": "hello"}');
    assert.match(again, /ann says .*hello/);
    const events = await fetch(`${second.url}/v1/runs`).then((response) => response.text());
    const out = await second.client.removeCredential("tickets");
    assert.equal(out.revoked, true);
    await second.client.removeConnection("tickets");
    await second.close({ graceMs: 0 });

    const tokens = servers.seen.flatMap(({ authorization, body }) => [
      /^Bearer (.+)/.exec(authorization ?? "")?.[1] ?? [],
      new URLSearchParams(body).get("token") ?? [],
      new URLSearchParams(body).get("code") ?? [],
    ]);
    const secrets = new Set(tokens.flat());
    assert.ok(secrets.size >= 3, `${secrets.size} secrets`);
    const shown = [
      answered,
      again,
      events,
      ...first.log,
      ...second.log,
      JSON.stringify([connected, finished, out]),
      await everything(folder),
    ].join("\n");
    for (const secret of secrets) assert.ok(!shown.includes(secret), "a secret is readable");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a server with a public address describes itself as a client, and users sign in from there", async () => {
  await using servers = await startOAuthServers();
  const folder = await mkdtemp(join(tmpdir(), "capstan-connections-"));
  try {
    const local = await start(folder);
    assert.equal((await fetch(`${local.url}/connections/client.json`)).status, 404);
    await local.close({ graceMs: 0 });
    const server = await start(folder, { publicUrl: "https://capstan.example.org" });
    const document = await fetch(`${server.url}/connections/client.json`);
    assert.deepEqual(
      [document.status, ((await document.json()) as { redirect_uris: unknown }).redirect_uris],
      [200, ["https://capstan.example.org/"]],
    );
    await server.client.addConnection({ name: "tickets", url: servers.url });
    const started = await server.client.startSignIn("tickets", {
      redirect_uri: "https://capstan.example.org/",
    });
    assert.equal(
      new URL(started.url).searchParams.get("redirect_uri"),
      "https://capstan.example.org/",
    );
    await assert.rejects(
      server.client.startSignIn("tickets", { redirect_uri: "https://evil.example.org/" }),
      /or of https:\/\/capstan\.example\.org/,
    );
    await server.close({ graceMs: 0 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
