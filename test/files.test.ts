import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI, { toFile } from "openai";
import { createServerFolder, startServerProcess } from "./server-process.ts";

test("files of the openai client survive a kill, and an upload that is cut short leaves nothing", async () => {
  await using folder = await createServerFolder();
  const blobs = async () => {
    const entries = await readdir(join(folder.data, "blobs"), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  const bytes = randomBytes(3_000_000);
  const ids: string[] = [];
  {
    await using server = await startServerProcess({ folder });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "local", maxRetries: 0 });
    const file = await client.files.create({
      file: await toFile(bytes, "random.bin"),
      purpose: "user_data",
    });
    const upload = await client.uploads.create({
      filename: "parts.bin",
      purpose: "user_data",
      bytes: bytes.length,
      mime_type: "application/octet-stream",
    });
    const half = bytes.length / 2;
    const parts = await Promise.all(
      [bytes.subarray(0, half), bytes.subarray(half)].map(async (data) =>
        client.uploads.parts.create(upload.id, { data: await toFile(data, "blob") }),
      ),
    );
    const { file: joined } = await client.uploads.complete(upload.id, {
      part_ids: parts.map(({ id }) => id),
    });
    ids.push(file.id, joined?.id ?? "");
    await until(async () => (await blobs()).length === 1);

    // The server receives the beginning of a form, and then the client disconnects.
    const { hostname, port, host } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(
      `POST /v1/files HTTP/1.1\r\nHost: ${host}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 2000000\r\n\r\n` +
        `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${"x".repeat(500_000)}`,
    );
    await until(async () => (await blobs()).some((name) => name.endsWith(".tmp")));
    socket.destroy();
    await until(async () => (await blobs()).length === 1);
    await server.kill();
  }
  await using server = await startServerProcess({ folder });
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "local", maxRetries: 0 });
  assert.deepEqual(
    (await client.files.list()).data.map(({ id }) => id),
    ids.toReversed(),
  );
  for (const id of ids)
    assert.ok(Buffer.from(await (await client.files.content(id)).arrayBuffer()).equals(bytes));
  for (const id of ids) await client.files.delete(id);
  await until(async () => (await blobs()).length === 0);
});

/** Waits until a condition holds; the test's own time limit ends the wait. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
