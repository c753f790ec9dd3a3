import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ListView, RunView } from "@capstan/contract";
import { type Api, groupTool } from "../../api.ts";
import { inTime } from "../in-time.ts";
import { anyPlan, type Plan } from "../plan.ts";
import type { Proof, Round } from "../proof.ts";
import type { Random } from "../random.ts";
import { everywhere } from "../stores/combination-name.ts";

/** The delay before a failed request is repeated. */
const pauseMs = 25;

export const retried: Proof = {
  name: "retried",
  title: "`kill -9` while clients retry requests",
  test: "a client that retries until it has an answer starts one run, however often nodes are killed",
  on: everywhere,
  times: 200,
  quickly: 4,
  async run({ place, clients, random, times, progress }) {
    await place.startAll();
    const sent: Sent[] = [];
    let isOver = false;
    const work = async () => {
      while (!isOver) sent.push(await sendUntilAnswered({ place, clients, random }));
    };
    const load = Promise.all(Array.from({ length: 4 }, work));
    // A failure is reported below, whenever it happens.
    load.catch(() => {});
    for (let done = 1; done <= times; done++) {
      await sleep(random.between(0, 500));
      const victims = random.chance(25) ? place.nodes : [random.pick(place.nodes)];
      await Promise.all(victims.map((node) => place.kill(node)));
      await place.startAll();
      progress(done);
    }
    isOver = true;
    await inTime(load, "Not every request was answered");
    await checkRuns(await place.anyApi(), sent);
    const tries = sent.reduce((sum, request) => sum + request.tries, 0);
    return tries > sent.length ? [] : ["no request was sent twice"];
  },
};

/** An answered request. */
interface Sent {
  readonly tag: string;
  readonly run: string;
  readonly tries: number;
}

/** Sends a request with one key until it is answered, and follows its run to the end. */
async function sendUntilAnswered({
  place,
  clients,
  random,
}: Pick<Round, "place" | "clients" | "random">): Promise<Sent> {
  const tag = randomUUID();
  const background = random.chance(50);
  const plan = background ? anyPlan(random) : unasked(random);
  const input = JSON.stringify({ ...plan, tag });
  const body = JSON.stringify({
    input,
    background,
    tools: [groupTool("counting")],
    approvals: "inline",
  });
  for (let tries = 1; ; tries++) {
    const api = await place.anyApi();
    try {
      const response = await fetch(`${api.url}/v1/responses`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": tag },
        body,
        // Some clients abort their first requests.
        signal: AbortSignal.timeout(
          tries < 5 && random.chance(50) ? random.between(1, 80) : 60_000,
        ),
      });
      const answer = (await response.json()) as { readonly id?: string };
      if (response.ok && answer.id !== undefined) {
        await clients.follow(answer.id);
        return { tag, run: answer.id, tries };
      }
      if (response.status < 500 && response.status !== 409)
        throw new Refused(`${response.status}: ${JSON.stringify(answer)}`);
    } catch (thrown) {
      if (thrown instanceof Refused) throw thrown;
    }
    await sleep(pauseMs);
  }
}

class Refused extends Error {}

/** A plan without calls that wait for approval. */
function unasked(random: Random): Plan {
  const { rounds, ms } = anyPlan(random);
  return {
    rounds: rounds.map((calls) =>
      calls.map((call) => (call.tool === "Ask" ? { ...call, tool: "Count" as const } : call)),
    ),
    ms,
  };
}

/**
 * Checks that each request has one run, and that the client got its id. Earlier runs of the request
 * may have failed without output, because these release its key.
 */
async function checkRuns(api: Api, sent: readonly Sent[]): Promise<void> {
  const started = new Map<string, RunView[]>();
  for (let after = ""; ;) {
    const page = await api.request<ListView<RunView>>("GET", `/v1/runs?limit=100${after}`);
    for (const view of page.data) {
      const tag = sent.find((request) => JSON.stringify(view.input).includes(request.tag))?.tag;
      if (tag !== undefined) started.set(tag, [...(started.get(tag) ?? []), view]);
    }
    if (!page.has_more) break;
    after = `&after=${page.last_id}`;
  }
  for (const { tag, run } of sent) {
    const runs: RunView[] = [];
    for (const view of started.get(tag) ?? [])
      if (view.id === run || !(await failedWithoutOutput(api, view))) runs.push(view);
    if (runs.map(({ id }) => id).join() === run) continue;
    const found = runs.map(({ id, status, error }) => `${id} (${status}, ${error?.message})`);
    throw new Error(`A request that was answered with ${run} has the runs ${found.join(", ")}.`);
  }
}

async function failedWithoutOutput(api: Api, { id, status }: RunView): Promise<boolean> {
  if (status !== "failed") return false;
  const events = await api.finishedEvents(id);
  return !events.some(({ type }) => type === "item.start" || type === "call.proposed");
}
