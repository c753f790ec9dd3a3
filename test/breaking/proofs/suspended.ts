import { everywhere } from "../stores/combination-name.ts";
import { setTimeout as sleep } from "node:timers/promises";
import type { Plan } from "../plan.ts";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";

const plan: Plan = {
  rounds: [
    [
      { tool: "Count", ms: 0 },
      { tool: "Ask", ms: 0 },
    ],
  ],
  ms: 0,
};

/** The number of concurrent runs. More would only be queued. */
const atOnce = 20;

export const suspended: Proof = {
  name: "suspended",
  title: "answers to suspended runs of killed nodes",
  test: "runs that were suspended while all servers were down end after their answers",
  on: everywhere,
  times: 200,
  quickly: 8,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    for (let begun = 0; begun < times; begun += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, times - begun) }, async () =>
        clients.followUntilParked(await clients.begin(plan)),
      );
      await inTime(Promise.all(some), "Not every run was suspended");
      progress(begun + some.length);
    }
    const api = await place.anyApi();
    const runs = await Promise.all(clients.confirmed.slice(-times).map((run) => api.run(run)));
    const waiting = runs.filter(({ status }) => status === "requires_action").length;
    await Promise.all(place.nodes.map((node) => place.kill(node)));
    await sleep(random.between(500, 2_500));
    await place.startAll();
    const limitMs = 120_000 + times * 2_000;
    await inTime(clients.finish(clients.confirmed), "Not every run ended", limitMs);
    return waiting === times
      ? []
      : [`of ${times} runs ${waiting} were suspended when the servers ended`];
  },
};
