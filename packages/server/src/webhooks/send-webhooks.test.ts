import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { systemClock } from "@capstan/core/host";
import { openMemoryStore } from "@capstan/store";
import { approvalRequest, commit, createRun, resultOf } from "@capstan/store/testing";
import { sendWebhooks } from "./send-webhooks.ts";
import { signMessage } from "./sign-message.ts";
import type { WebhookEndpoint } from "./webhook-endpoint.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const events = ["approval.requested", "approval.answered", "run.ended"] as const;

interface SentMessage {
  readonly type: string;
  readonly data: { readonly status: string };
}

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/**
 * Starts a service that answers with these statuses in order, and then always with the last one.
 */
async function service(...statuses: number[]) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      const status = statuses.length > 1 ? statuses.shift() : statuses[0];
      response.writeHead(status ?? 200, { location: "/elsewhere" }).end("x".repeat(100));
      for (const wake of waiting.splice(0)) wake();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async until(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    close: () => server.close(),
  };
}

/** A clock whose timers fire at once, but report their delay. */
function instantClock() {
  const delays: number[] = [];
  let skipped = 0;
  return {
    delays,
    now: () => Date.now() + skipped,
    monotonic: () => systemClock.monotonic() + skipped,
    after(ms: number, callback: () => void) {
      delays.push(ms);
      // The sender waits longest if there are no messages.
      if (ms >= 3_600_000) return () => {};
      const timer = setImmediate(() => {
        skipped += ms;
        callback();
      });
      return () => clearImmediate(timer);
    },
  };
}

async function sending(endpoint: Partial<WebhookEndpoint> & { readonly url: string }) {
  const clock = instantClock();
  const full = { endpoint: "ops", secret, events, ...endpoint };
  const store = openMemoryStore({ clock, webhooks: [full] });
  const log: string[] = [];
  const link = "http://127.0.0.1:8787";
  const stop = sendWebhooks({
    stores: [store],
    endpoints: [full],
    link,
    clock,
    log: (line) => void log.push(line),
  });
  return {
    store,
    log,
    clock,
    async [Symbol.asyncDispose]() {
      await stop();
      await store.close();
    },
  };
}

async function requestApproval(store: Parameters<typeof createRun>[0]): Promise<void> {
  await createRun(store, { id: "r" });
  const approval = { ...approvalRequest("k1", Date.now() + 60_000), args: { path: "secret.txt" } };
  const event = { type: "approval.requested", callId: approval.callId, approval } as const;
  await commit(store, "r", [{ type: "event", event }]);
}

test("a request for approval is announced with a signature and a link, without arguments", async () => {
  const hook = await service(204);
  await using sender = await sending({ url: hook.url });
  await requestApproval(sender.store);
  await hook.until(1);
  const [message] = hook.received;
  assert.ok(message);
  const { timestamp, ...body } = JSON.parse(message.body) as { timestamp: string };
  assert.ok(Math.abs(Date.parse(timestamp) - Date.now()) < 60_000);
  assert.deepEqual(body, {
    type: "approval.requested",
    data: {
      user: "local",
      approval: "k1",
      run: "r",
      conversation: null,
      kind: "execution",
      status: "pending",
      tool: "files.ViewFile",
      link: "http://127.0.0.1:8787/#/approvals/k1",
    },
  });
  assert.doesNotMatch(message.body, /secret/);
  const {
    "webhook-id": id,
    "webhook-timestamp": at,
    "webhook-signature": signed,
  } = message.headers;
  assert.deepEqual(
    signMessage({ id: String(id), timestamp: Number(at), body: message.body }, secret),
    { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signed },
  );
  const decision = { decision: "refuse", reason: "secret reason" } as const;
  await sender.store.write([
    { type: "answer-approval", id: "k1", owner: "local", answer: decision },
  ]);
  await hook.until(2);
  await commit(sender.store, "r", [resultOf("completed")]);
  await hook.until(3);
  const sent = hook.received.map(({ body: text }) => JSON.parse(text) as SentMessage);
  assert.deepEqual(
    sent.map(({ type, data }) => [type, data.status]),
    [
      ["approval.requested", "pending"],
      ["approval.answered", "refused"],
      ["run.ended", "completed"],
    ],
  );
  hook.close();
});

test("a message is sent again with the same id until it is accepted", async () => {
  const hook = await service(500, 302, 200);
  await using sender = await sending({ url: hook.url, events: ["approval.requested"] });
  await requestApproval(sender.store);
  await hook.until(3);
  const ids = new Set(hook.received.map(({ headers }) => headers["webhook-id"]));
  assert.deepEqual([...ids], ["approval_requested_k1"]);
  assert.ok(sender.clock.delays.some((ms) => ms > 270_000 && ms < 330_000));
  assert.deepEqual(sender.log, [
    "webhooks.ops: the message is sent again later, because it answered with the status 500.",
    "webhooks.ops: the message is sent again later, because it answered with the status 302.",
  ]);
  hook.close();
});

test("a service that answers 410 or cannot be reached stops no other message", async () => {
  const hook = await service(410, 200);
  await using sender = await sending({
    url: hook.url,
    events: ["approval.requested", "run.ended"],
  });
  await requestApproval(sender.store);
  await hook.until(1);
  await commit(sender.store, "r", [resultOf("completed")]);
  await hook.until(2);
  assert.match(sender.log[0] ?? "", /410.*dropped/);
  hook.close();
  const { port } = new URL(hook.url);
  await using lost = await sending({ url: `http://127.0.0.1:${port}/`, events: ["run.ended"] });
  await createRun(lost.store, { id: "r" });
  await commit(lost.store, "r", [resultOf("completed")]);
  const retries = () => lost.clock.delays.filter((ms) => ms < 3_600_000).length;
  while (retries() < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.match(lost.log[0] ?? "", /sent again later, because .*ECONNREFUSED/);
});
