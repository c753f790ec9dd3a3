import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { MessageChannel } from "node:worker_threads";
import { errorDataOf } from "../records/error-data.ts";
import { serveThread } from "./serve-thread.ts";

test("answers requests in order until the thread stops, and a failed request with its error", async () => {
  const { port1: port, port2 } = new MessageChannel();
  const replies: unknown[] = [];
  port.on("message", (reply) => replies.push(reply));
  for (const message of [{ request: 1 }, { request: 2 }, { request: 3 }, { stop: true }])
    port.postMessage(message);
  serveThread({
    answer: (request) => {
      if (request === 2) throw new Error("no disk");
      return Number(request) * 10;
    },
    failure: (thrown) => errorDataOf("Counting", thrown),
    port: port2,
    stop: () => port2.postMessage("stops"),
  });
  await once(port, "close");
  const [first, second, third, last] = replies;
  assert.deepEqual([first, third, last], [{ value: 10 }, { value: 30 }, "stops"]);
  assert.match(JSON.stringify(second), /Counting failed: no disk/);
});
