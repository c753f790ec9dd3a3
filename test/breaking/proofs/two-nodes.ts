import { onPostgres } from "../stores/combination-name.ts";
import { isDeepStrictEqual } from "node:util";
import type { ApprovalView } from "@capstan/contract";
import { inTime } from "../in-time.ts";
import type { Proof } from "../proof.ts";
import type { Plan } from "../plan.ts";

/**
 * Approval requests and running calls in one round, so that answers arrive while the run is in
 * progress and while it waits.
 */
const plan: Plan = {
  rounds: [
    [
      { tool: "Ask", ms: 5 },
      { tool: "Count", ms: 40 },
      { tool: "Ask", ms: 5 },
    ],
    [
      { tool: "Ask", ms: 0 },
      { tool: "Pay", ms: 20 },
    ],
  ],
  ms: 5,
};

export const twoNodes: Proof = {
  name: "two-nodes",
  title: "two nodes answer and stop one run at the same time",
  test: "if two nodes answer or stop a run at the same time, both apply the first decision",
  on: onPostgres,
  times: 60,
  quickly: 2,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const apis = place.nodes.map((node) => place.api(node));
    const answered: Promise<unknown>[] = [];
    let answers = 0;
    let stops = 0;

    /**
     * Sends different decisions to both nodes at the same time. Both have to return the same
     * decision.
     */
    async function answerAtBoth(id: string): Promise<void> {
      const decisions = random.chance(50) ? ["allow", "refuse"] : ["refuse", "allow"];
      const [one, other] = await Promise.all(
        apis.map((api, node) =>
          api.request<ApprovalView>("POST", `/v1/approvals/${id}`, { decision: decisions[node] }),
        ),
      );
      if (!isDeepStrictEqual(one, other))
        throw new Error(
          `${id}: ${JSON.stringify(one)} at one node, ${JSON.stringify(other)} at the other`,
        );
    }

    async function one(done: number): Promise<void> {
      const run = await clients.begin(plan);
      const stopsAt = done % 4 === 1 ? random.between(5, 40) : Infinity;
      for await (const event of random.pick(apis).events(run)) {
        if (event.type === "approval.requested") {
          answers += 1;
          answered.push(answerAtBoth(event.approval.id));
        }
        if (event.seq !== stopsAt) continue;
        stops += 1;
        answered.push(...apis.map((api) => api.cancel(run)));
      }
      progress(done);
    }

    const atOnce = 5;
    for (let done = 0; done < times; done += atOnce) {
      const some = Array.from({ length: Math.min(atOnce, times - done) }, (_, n) =>
        one(done + n + 1),
      );
      await inTime(Promise.all(some), "Not every run ended");
      await inTime(Promise.all(answered.splice(0)), "Not every answer was accepted");
    }
    return [
      ...(answers === 0 ? ["no question was answered at both"] : []),
      ...(stops === 0 ? ["no run was stopped at both"] : []),
    ];
  },
};
