import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { createClient } from "@capstan/client";
import { loadConfiguration } from "../configuration/load-configuration.ts";
import { startInstallation } from "./start-installation.ts";

/** An MCP server whose tool asks the user a question and returns the answer. */
const program = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let call;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, result } = JSON.parse(line);
  if (method === "initialize")
    send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "asking", version: "1" } } });
  else if (method === "tools/list")
    send({ id, result: { tools: ["order", "other"].map((name) => ({ name, inputSchema: { type: "object" } })) } });
  else if (method === "tools/call") {
    call = id;
    const requestedSchema = { type: "object", properties: { size: { type: "string" } } };
    send({ id: "question", method: "elicitation/create", params: { message: "Which size?", requestedSchema } });
  } else if (id === "question")
    send({ id: call, result: { content: [{ type: "text", text: "answer: " + JSON.stringify(result) }] } });
});
`;

test("a server's elicitation reaches a user if the request allows only one tool and needs no approvals", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-questions-"));
  let installation: Awaited<ReturnType<typeof startInstallation>> | undefined;
  try {
    await writeFile(join(folder, "server.cjs"), program);
    const settings = {
      connections: {
        shop: { command: process.execPath, args: [join(folder, "server.cjs")], sandbox: false },
      },
      rules: [{ tool: "shop.*", execution: "auto" }],
    };
    await writeFile(join(folder, "capstan.config.json"), JSON.stringify(settings));
    const loaded = await loadConfiguration({
      directory: folder,
      environment: {},
      flags: { data: join(folder, "data"), port: "0" },
    });
    assert.ok(loaded.status === "valid");
    installation = await startInstallation({
      configuration: loaded.configuration,
      environment: {},
      log: () => {},
    });
    const client = createClient({ url: installation.url });
    await client.checkConnection("shop");
    const answered = fetch(`${installation.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        model: "capstan/offline",
        input: "/order {}",
        approvals: "inline",
        tools: [
          {
            type: "mcp",
            server_label: "shop",
            server_url: "capstan://groups/shop",
            allowed_tools: ["order"],
            require_approval: "never",
          },
        ],
      }),
    }).then((response) => response.text());
    let isAnswered = false;
    void answered.then(() => (isAnswered = true));
    let pending = await client.pendingApprovals();
    while (pending.length === 0 && !isAnswered) {
      await delay(20);
      pending = await client.pendingApprovals();
    }
    assert.match(JSON.stringify(pending), /Which size\?/);
    await client.answerApproval(pending[0]?.id ?? "", { decision: "allow" });
    assert.match(await answered, /answer: .*accept/);
  } finally {
    await installation?.close();
    await rm(folder, { recursive: true, force: true });
  }
});
