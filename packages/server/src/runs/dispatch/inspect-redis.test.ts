import assert from "node:assert/strict";
import { test } from "node:test";
import { Redis } from "ioredis";
import { inspectRedis } from "./inspect-redis.ts";
import { findRedis, startRedis } from "../../testing/redis-server.ts";

const redis = findRedis();
const options = { skip: redis.status === "missing" && redis.reason };

test("a suitable Redis is reported with its version and address", options, async () => {
  await using server = await startRedis();
  const { status, detail } = await inspectRedis(server.url);
  assert.match(detail, /^Redis \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+\/0, maxmemory-policy noeviction$/);
  assert.equal(status, "ok");
});

test(
  "a Redis that discards jobs when it is full is reported with the command that corrects it",
  options,
  async () => {
    await using server = await startRedis();
    const client = new Redis(server.url);
    await client.config("SET", "maxmemory-policy", "allkeys-lru");
    client.disconnect();
    const { status, detail, fix } = await inspectRedis(server.url);
    assert.equal(status, "wrong");
    assert.match(detail, /maxmemory-policy allkeys-lru\. .*discards jobs/);
    assert.match(fix ?? "", /CONFIG SET maxmemory-policy noeviction/);
  },
);

test(
  "an unreachable or rejecting Redis is reported with a fix and without the password",
  options,
  async () => {
    await using server = await startRedis();
    const client = new Redis(server.url);
    await client.config("SET", "requirepass", "right");
    client.disconnect();
    const locked = server.url.replace("redis://", "redis://:secret-word@");
    const cases = [
      [locked, /WRONGPASS/, /user and the password/],
      [server.url, /NOAUTH/, /user and the password/],
      [locked.replace("redis:", "rediss:"), /cannot be used/, /rediss:\/\/ only if it expects TLS/],
      [
        "redis://:secret-word@127.0.0.1:1/0",
        /127\.0\.0\.1:1\/0.*ECONNREFUSED/,
        /Check that Redis runs/,
      ],
    ] as const;
    for (const [url, what, todo] of cases) {
      // A server without TLS never answers.
      const timeoutMs = url.startsWith("rediss:") ? 100 : 5_000;
      const { status, detail, fix } = await inspectRedis(url, timeoutMs);
      assert.equal(status, "wrong");
      assert.match(detail, what);
      assert.match(fix ?? "", todo);
      assert.doesNotMatch(`${detail} ${fix}`, /secret-word/);
    }
  },
);
