import { onPostgres } from "../stores/combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";
import { wereRefused, wereTakenUp } from "../report/evidence.ts";
import { longPlan } from "../plan.ts";

/**
 * A node is declared dead after two seconds without a heartbeat. Other nodes check twice a second.
 */
const leaseMs = 3_000;

export const stopped: Proof = {
  name: "stopped",
  title: "SIGSTOP for longer than the lease, then SIGCONT",
  test: "a node that is paused for longer than its lease writes nothing after it resumes",
  on: onPostgres,
  times: 20,
  quickly: 1,
  evidence: (left) => [...wereTakenUp(left), ...wereRefused(left)],
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    // Some runs are in progress at another node when this node resumes, and some have ended.
    const load = [clients.load(4, longPlan), clients.load(2)];
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(200, 700));
      const zombie = random.pick(place.nodes);
      place.signal(zombie, "SIGSTOP");
      await sleep(random.between(leaseMs, leaseMs + 1_000));
      place.signal(zombie, "SIGCONT");
      progress(done);
    }
    await inTime(Promise.all(load.map(({ stop }) => stop())), "Not every run ended");
  },
};
