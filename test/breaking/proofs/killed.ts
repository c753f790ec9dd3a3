import { everywhere } from "../stores/combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { wereTakenUp } from "../report/evidence.ts";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

export const killed: Proof = {
  name: "killed",
  title: "`kill -9` at random moments",
  test: "after repeated kills at random moments, started runs continue and no call runs twice",
  on: everywhere,
  times: 50,
  quickly: 2,
  evidence: wereTakenUp,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const load = clients.load(6);
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(0, 700));
      // Sometimes kills all nodes together, so that no node can take over their runs.
      const victims = random.chance(25) ? place.nodes : [random.pick(place.nodes)];
      await Promise.all(victims.map((node) => place.kill(node)));
      await place.startAll();
      progress(done);
    }
    await inTime(load.stop(), "Not every run ended");
  },
};
