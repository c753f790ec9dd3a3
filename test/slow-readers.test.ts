import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { createApi, spokenText } from "./api.ts";
import { createServerFolder, startServerProcess } from "./server-process.ts";
import { testedDatabase } from "./tested-database.ts";
import { startUpstream } from "./upstream.ts";

const pieces = Array.from({ length: 6_000 }, (_, n) => `${n} `.padEnd(1_000, "x"));
const readers = 60;

/**
 * A client that sends a request and reads nothing, so that the buffers of its connection fill up.
 */
async function standStill(url: string, path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

// Contract: durability-7
test("readers that stop reading do not fill the server's memory", async () => {
  await using resources = new AsyncDisposableStack();
  const upstream = resources.use(await startUpstream(() => ({ say: pieces })));
  const folder = resources.use(await createServerFolder());
  const server = resources.use(
    await startServerProcess({
      folder,
      environment: {
        ...upstream.environment,
        ...testedDatabase,
        NODE_OPTIONS: "--max-old-space-size=256",
      },
    }),
  );
  const api = createApi(server.url);
  const { id: conversation } = await api.createConversation();
  const run = await api.startTurn({ conversation, input: "Go on." });
  await api.finishedEvents(run);
  const stuck: Socket[] = [];
  resources.defer(() => stuck.forEach((socket) => socket.destroy()));
  for (const path of [`/v1/runs/${run}/events`, `/v1/responses/${run}?stream=true`])
    stuck.push(
      ...(await Promise.all(Array.from({ length: readers }, () => standStill(server.url, path)))),
    );
  // At the same time, an active reader gets the whole stream.
  assert.equal(spokenText(await api.finishedEvents(run)), pieces.join(""));
  assert.equal(stuck.filter(({ destroyed }) => destroyed).length, 0);
});
