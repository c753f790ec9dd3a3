import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { combinations, openPageLimit } from "./stores/combinations.ts";
import { clockSetBack } from "./proofs/clock-set-back.ts";
import { diskFull } from "./proofs/disk-full.ts";
import { killed } from "./proofs/killed.ts";
import { parked } from "./proofs/parked.ts";
import { reconnecting } from "./proofs/reconnecting.ts";
import { retried } from "./proofs/retried.ts";
import { openProvingGround } from "./proving-ground.ts";
import { inTime } from "./in-time.ts";
import type { Round } from "./proof.ts";
import { provingOn } from "./proving-tests.ts";
import { newSeed } from "./random.ts";

const prove = provingOn("SQLite");

// Contract: breaking-killed
test(
  "killed again and again at random moments, what was begun goes on, and nothing is done twice",
  prove(killed),
);
// Contract: breaking-reconnecting
test("a client that reconnects at every event is told each once, in order", prove(reconnecting));
// Contract: breaking-retried
test(
  "a client that retries until it has an answer starts one run, however often nodes are killed",
  prove(retried),
);
// Contract: breaking-parked
test(
  "runs that were parked while all servers were gone are finished once they are answered",
  prove(parked),
);
// Contract: breaking-disk-full
test("a disk that is full again and again loses nothing that was told", prove(diskFull));
// Contract: breaking-clock-set-back
test("a clock that is set back and forth changes nothing of what is promised", prove(clockSetBack));

test("where no disk can be mounted, SQLite's limit of pages stands for a full one", async () => {
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
    await inTime(load.stop(), "Every run did not end");
  };
  const { problems } = await ground.prove({ ...diskFull, run: untilNoticed }, 1);
  assert.deepEqual(problems, [], `seed ${seed}`);
});
