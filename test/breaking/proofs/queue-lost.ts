import { setTimeout as sleep } from "node:timers/promises";
import { withQueue } from "../stores/combination-name.ts";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

export const queueLost: Proof = {
  name: "queue-lost",
  title: "Redis is killed and emptied",
  test: "a Redis that is killed or emptied repeatedly loses no run",
  on: withQueue,
  times: 20,
  quickly: 2,
  evidence: ({ output }) =>
    /Redis cannot be reached/.test(output) ? [] : ["no node noticed that Redis was gone"],
  async run({ place, clients, random, times, progress }) {
    const { redis } = place.backing;
    await place.startAll();
    const load = clients.load(8);
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(100, 700));
      // Kills Redis at least every second time.
      if (done % 2 === 0 && random.chance(50)) await redis?.empty();
      else {
        await redis?.kill();
        await sleep(random.between(0, 1_000));
        await redis?.start();
      }
      progress(done);
    }
    await inTime(load.stop(), "Not every run ended");
  },
};
