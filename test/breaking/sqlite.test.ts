import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { combinations, openPageLimit } from "./stores/combinations.ts";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { suspended } from "./proofs/suspended.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
import { clientTimeouts } from "./proofs/client-timeouts.ts";
import { repeatedCalls } from "./proofs/repeated-calls.ts";
import { retried } from "./proofs/retried.ts";
import { openProvingGround } from "./proving-ground.ts";
import { inTime } from "./in-time.ts";
import type { Round } from "./proof.ts";
import { provingOn } from "./proving-tests.ts";
import { newSeed } from "./random.ts";

const prove = provingOn("SQLite");

// Contract: breaking-killed
test(
  "after repeated kills at random moments, started runs continue and no call runs twice",
  prove(killed),
);
// Contract: breaking-reconnecting
test(
  "a client that reconnects at every event reads each event once, in order",
  prove(reconnecting),
);
// Contract: breaking-retried
test(
  "a client that retries until it has an answer starts one run, however often nodes are killed",
  prove(retried),
);
// Contract: breaking-repeated-calls
test(
  "a call over MCP that is repeated after a kill runs once, and the repeat gets its result",
  prove(repeatedCalls),
);
// Contract: breaking-client-timeouts
test(
  "a call over MCP that its client gives up and repeats runs once, and the repeat gets its result",
  prove(clientTimeouts),
);
// Contract: breaking-suspended
test(
  "runs that were suspended while all servers were down end after their answers",
  prove(suspended),
);
// Contract: breaking-disk-full
test("a disk that is full repeatedly loses no confirmed data", prove(diskFull));
// Contract: breaking-clock-set-back
test("all promises hold while the clock is set back and forth", prove(clockSetBack));

test("if no disk can be mounted, SQLite's page limit simulates a full one", async () => {
  const [sqlite] = combinations.filter(({ name }) => name === "SQLite");
  assert.ok(sqlite !== undefined);
  const seed = newSeed();
  const combination = { ...sqlite, open: openPageLimit };
  await using ground = await openProvingGround({ combination, seed, smallDisk: true });
  const untilNoticed = async ({ place, clients }: Round) => {
    await place.startAll();
    const load = clients.load(3);
    place.backing.disk?.fill(0);
    while (!/disk is full/.test(place.output())) await sleep(25);
    place.backing.disk?.free();
    await inTime(load.stop(), "Not every run ended");
  };
  const { problems } = await ground.prove({ ...diskFull, run: untilNoticed }, 1);
  assert.deepEqual(problems, [], `seed ${seed}`);
});
