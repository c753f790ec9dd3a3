import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { runningServerNotice } from "./running-server-notice.ts";

test("a list mentions a running server, and does not mention a stopped one", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-beside-"));
  try {
    assert.equal(await runningServerNotice(dataDir), undefined);
    const lock = new DatabaseSync(join(dataDir, "server.lock"));
    lock.exec("BEGIN EXCLUSIVE");
    const note = { pid: process.pid, url: "http://127.0.0.1:9", startedAt: 0 };
    await writeFile(join(dataDir, "server.json"), JSON.stringify(note));
    assert.match(
      (await runningServerNotice(dataDir)) ?? "",
      /^A server is running at http:\/\/127\.0\.0\.1:9\./,
    );
    lock.close();
    assert.equal(await runningServerNotice(dataDir), undefined);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
