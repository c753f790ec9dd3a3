import { setTimeout as sleep } from "node:timers/promises";
import type { RunRef } from "@capstan/store";
import type { Clients } from "../clients.ts";
import { withQueue } from "../stores/combination-name.ts";
import { inTime } from "../in-time.ts";
import type { Place } from "../place.ts";
import { longPlan } from "../plan.ts";
import type { Proof } from "../proof.ts";

/** Kills a node at the first of this number of rounds. */
const timesADeath = 10;

export const deliveredTwice: Proof = {
  name: "delivered-twice",
  title: "jobs are delivered twice, and late",
  test: "a job that is delivered again at any time starts no run twice",
  on: withQueue,
  times: 100,
  quickly: 10,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    // Runs that continue after a claim, while their jobs are delivered again.
    const load = [clients.load(4, longPlan), clients.load(2)];
    let orphans: readonly RunRef[] = [];
    let late = 0;
    for (let done = 1; done <= times; done++) {
      if (done % timesADeath === 1) {
        do {
          await sleep(random.between(100, 700));
          orphans = [...orphans, ...(await kill(place, random.pick(place.nodes)))];
        } while (orphans.length === 0);
      }
      await sleep(random.between(0, 800));
      const run = random.pick(orphans.slice(-4));
      if (await place.backing.nodeRuns?.isOutdated(run)) late += 1;
      await Promise.all([place.backing.jobs?.send(run), place.backing.jobs?.send(run)]);
      progress(done);
    }
    await inTime(Promise.all(load.map(({ stop }) => stop())), "Not every run ended");
    const wasDeclaredDead = /Other nodes declared this node dead/.test(place.output());
    if (!wasDeclaredDead) checkTakenOnce(clients, orphans);
    return late > 0 ? [] : ["no job arrived late, for a run that had already been claimed"];
  },
};

/** Kills a node. @returns the runs that the node owned */
async function kill(place: Place, node: number): Promise<readonly RunRef[]> {
  const { url } = place.api(node);
  await place.kill(node);
  // The database may still be executing its last commit.
  await sleep(100);
  const runs = (await place.backing.nodeRuns?.of(url)) ?? [];
  await place.start(node);
  return runs;
}

/**
 * A run can be claimed once more for each node that died, but never from a live node, whatever jobs
 * are delivered.
 */
function checkTakenOnce({ told }: Clients, orphans: readonly RunRef[]): void {
  for (const [run, events] of told) {
    const taken = events.filter(({ type }) => type === "run.orphaned").length;
    const died = orphans.filter(({ id }) => id === run).length;
    if (taken > died)
      throw new Error(`${run}: it was claimed ${taken} times, and ${died} of its owners died`);
  }
}
