import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../scripts/command.ts";
import { createServerFolder, type ServerFolder, startServerProcess } from "./server-process.ts";

// The published reference server over HTTP, named in requests, and a server of Capstan that is killed.

const everything = join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const canary = "canary-0123456789-secret";

let folder: ServerFolder;
let child: ChildProcess;
let url: string;

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  child = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: "ignore",
  });
  folder = await createServerFolder();
  const settings = { requestServers: { hosts: [`127.0.0.1:${port}`] } };
  await writeFile(join(folder.work, "capstan.config.json"), JSON.stringify(settings));
  for (let tries = 0; tries < 600; tries++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await sleep(50);
  }
});
after(async () => {
  child?.kill("SIGKILL");
  await folder?.[Symbol.asyncDispose]();
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly id: string;
    readonly status?: string;
    readonly tools?: unknown;
    readonly error?: { readonly message: string; readonly param: string };
    readonly output?: readonly {
      readonly type: string;
      readonly id: string;
      readonly output?: string | null;
      readonly error?: unknown;
      readonly tools?: readonly { readonly name: string }[];
    }[];
  };
}

async function send(address: string, body: object, path = "/v1/responses"): Promise<Answer> {
  const response = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

const tool = (more: object = {}) => ({
  type: "mcp",
  server_label: "everything",
  server_url: url,
  ...more,
});
const ask = (more: object = {}, rest: object = {}) => ({
  model: "capstan/offline",
  input: '/get-sum {"a": 2, "b": 3}',
  tools: [tool(more)],
  ...rest,
});
const itemOf = ({ body }: Answer, type: string) => body.output?.find((item) => item.type === type);

test("a request uses a server that it names, after an approval, and stores no header", async () => {
  await using server = await startServerProcess({ folder });
  const secrets = { authorization: canary, headers: { "X-Key": `${canary}-2` } };
  const asked = await send(server.url, ask({ ...secrets, require_approval: "never" }));
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const names = itemOf(asked, "mcp_list_tools")?.tools?.map(({ name }) => name) ?? [];
  assert.ok(names.includes("get-sum"), names.join());
  const approval = itemOf(asked, "mcp_approval_request");
  assert.ok(approval, "require_approval cannot loosen the rules of the server");
  const answered = await send(
    server.url,
    ask(secrets, {
      previous_response_id: asked.body.id,
      input: [{ type: "mcp_approval_response", approval_request_id: approval.id, approve: true }],
    }),
  );
  assert.match(itemOf(answered, "mcp_call")?.output ?? "", /is 5/, JSON.stringify(answered.body));
  assert.doesNotMatch(JSON.stringify([asked, answered]) + server.output(), /canary/);
  await server.stop();
  for (const name of await readdir(folder.data, { recursive: true })) {
    const file = join(folder.data, name);
    if ((await stat(file)).isFile())
      assert.equal((await readFile(file)).includes("canary-"), false, name);
  }
});

test("requests that the server cannot serve name the field", async () => {
  await using server = await startServerProcess({ folder });
  const problem = async (more: object) => {
    const { status, body } = await send(server.url, ask(more));
    return `${status} ${body.error?.param}: ${body.error?.message}`;
  };
  assert.match(await problem({ tunnel_id: "t" }), /^400 tools\[0\]\.tunnel_id: Unknown parameter/);
  assert.match(
    await problem({ server_url: null, connector_id: "connector_gmail" }),
    /^400 tools\[0\]\.connector_id: Unsupported/,
  );
  assert.match(
    await problem({ headers: { Authorization: "x" } }),
    /^400 .*'authorization' parameter/,
  );
  assert.match(await problem({ headers: { Host: "x" } }), /^400 tools\[0\]\.headers/);
  assert.match(
    await problem({ server_url: "https://mcp.example.org/mcp" }),
    /^403 .*mcp\.example\.org is not allowed/,
  );
  assert.match(await problem({ server_url: "http://a:b@127.0.0.1/mcp" }), /^400 .*password/);
});

test("a call that waits for approval runs after kill -9, unless it needs headers", async () => {
  const kept: { id: string; approval: string }[] = [];
  {
    await using server = await startServerProcess({ folder });
    for (const more of [{}, { authorization: canary }]) {
      const { body } = await send(server.url, ask(more, { approvals: "inline", background: true }));
      kept.push({ id: body.id, approval: await pendingApproval(server.url, kept.length) });
    }
    await server.kill();
  }
  await using server = await startServerProcess({ folder });
  for (const { approval } of kept) {
    const answer = { decision: "allow" };
    const answered = await send(server.url, answer, `/v1/approvals/${approval}`);
    assert.equal(answered.status, 200, JSON.stringify(answered.body));
  }
  const [plain, secret] = await Promise.all(kept.map(({ id }) => ended(server.url, id)));
  assert.match(JSON.stringify(plain), /sum of 2 and 3 is 5/);
  assert.match(JSON.stringify(secret), /again with authorization/);
  assert.doesNotMatch(JSON.stringify(secret), /is 5|canary/);
});

/** Returns the newest pending approval, when there are more than `known`. */
async function pendingApproval(address: string, known: number): Promise<string> {
  for (let tries = 0; tries < 400; tries++) {
    const response = await fetch(`${address}/v1/approvals?status=pending`);
    const { data } = (await response.json()) as {
      readonly data: readonly { readonly id: string }[];
    };
    if (data.length > known) return data[0]?.id ?? "";
    await sleep(50);
  }
  throw new Error("No call asked for approval.");
}

async function ended(address: string, id: string): Promise<unknown> {
  for (let tries = 0; tries < 400; tries++) {
    const response = await fetch(`${address}/v1/responses/${id}`);
    const body = (await response.json()) as { readonly status: string };
    if (body.status === "completed" || body.status === "failed") return body;
    await sleep(50);
  }
  throw new Error("The response did not end.");
}
