import { setTimeout as sleep } from "node:timers/promises";
import { withQueue } from "../combination-name.ts";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

export const deliveredTwice: Proof = {
  name: "delivered-twice",
  title: "jobs delivered twice, and late",
  test: "a job that is delivered again, at whatever time, begins nothing twice",
  on: withQueue,
  times: 100,
  quickly: 10,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const load = clients.load(8);
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(0, 100));
      const known = clients.confirmed.slice(-8);
      if (known.length === 0) continue;
      const id = random.pick(known);
      const epoch = random.between(0, 3);
      const status = epoch === 0 || random.chance(50) ? "queued" : "in_progress";
      await place.backing.jobs?.send({ id, owner: "local", status, epoch });
      progress(done);
    }
    await inTime(load.stop(), "Every run did not end");
  },
};
