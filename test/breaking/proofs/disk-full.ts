import { everywhere } from "../stores/combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

export const diskFull: Proof = {
  name: "disk-full",
  title: "the disk is full, and later has free space again",
  test: "a disk that is full repeatedly loses no confirmed data",
  on: everywhere,
  needsDisk: true,
  times: 20,
  quickly: 1,
  evidence: ({ output }) =>
    /no space|disk is full|No space left/i.test(output) ? [] : ["no node noticed a full disk"],
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const load = clients.load(6);
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(0, 500));
      // Fills the disk at different points of a commit.
      place.backing.disk?.fill(random.between(0, 32) * 4_096);
      await sleep(random.between(300, 1_500));
      place.backing.disk?.free();
      await place.backing.reviveDatabase?.();
      progress(done);
    }
    await inTime(load.stop(), "Not every run ended");
  },
};
