import { setTimeout as sleep } from "node:timers/promises";
import type { ListView, RunView } from "@capstan/contract";
import type { Api } from "../../api.ts";
import { readExecutions } from "../executions.ts";
import { inTime } from "../in-time.ts";
import { startMcpSession } from "../mcp-client.ts";
import type { Proof, Round } from "../proof.ts";
import { everywhere } from "../stores/combination-name.ts";

/** The state of a call when all nodes are killed. */
const states = ["waits for approval", "runs", "has ended undelivered"] as const;

/**
 * The shortest duration of a call, in ms: long enough for a kill during the call, and for its client
 * to leave before it ends.
 */
const durations = { "waits for approval": 1, runs: 2_000, "has ended undelivered": 1_000 } as const;

/** The delay before the test looks again. */
const pauseMs = 25;

export const repeatedCalls: Proof = {
  name: "repeated-calls",
  title:
    "all nodes are killed while calls over MCP wait, run or have undelivered results; then the calls are repeated",
  test: "a call over MCP that is repeated after a kill runs once, and the repeat gets its result",
  on: everywhere,
  times: 150,
  quickly: 3,
  async run({ place, times, progress }) {
    await place.startAll();
    const unknown: number[] = [];
    for (let done = 0; done < times; done++) {
      const state = states[done % states.length] ?? "runs";
      // Different arguments for the calls of each state.
      const ms = durations[state] + Math.floor(done / states.length);
      const text = await inTime(repeatAfterKill(place, { state, ms }), `A call that ${state}`);
      if (state === "runs" && !text.includes("is done")) unknown.push(done);
      if (state !== "runs" && !text.includes("is done"))
        throw new Error(`The repeat of a call that ${state} got: ${text.slice(0, 500)}`);
      progress(done + 1);
    }
    const runs = times >= states.length;
    return runs && unknown.length === 0 ? ["no call was running when its node was killed"] : [];
  },
};

/** Makes a call, kills all nodes, and repeats it. Returns the text of the result. */
async function repeatAfterKill(
  place: Round["place"],
  { state, ms }: { readonly state: (typeof states)[number]; readonly ms: number },
): Promise<string> {
  const [node = 0] = place.nodes;
  const tool = state === "waits for approval" ? "Ask" : "Count";
  const before = await countBegun(place, tool);
  const first = await startMcpSession(place.api(node).url);
  const lost = new AbortController();
  first.call(tool, { ms }, lost.signal).catch(() => {});
  if (state === "waits for approval")
    await until(async () => (await pending(place.api(node))).length > 0);
  else await until(async () => (await countBegun(place, tool)) > before);
  if (state === "has ended undelivered") {
    lost.abort();
    await until(async () => (await newestRun(place.api(node))).status === "completed");
  }
  await Promise.all(place.nodes.map((each) => place.kill(each)));
  await place.startAll();
  const api = place.api(node);
  if (state === "waits for approval")
    for (const id of await pending(api))
      await api.request("POST", `/v1/approvals/${id}`, { decision: "allow" });
  const again = await startMcpSession(api.url);
  const text = await again.call(tool, { ms });
  const begun = (await countBegun(place, tool)) - before;
  if (begun !== 1) throw new Error(`A call that ${state} ran ${begun} times.`);
  return text;
}

async function countBegun({ executions }: Round["place"], tool: string): Promise<number> {
  const all = await readExecutions(executions);
  return all.filter((each) => each.tool === tool && each.step === "begun").length;
}

async function pending(api: Api): Promise<readonly string[]> {
  const { data } = await api.request<ListView<{ readonly id: string }>>(
    "GET",
    "/v1/approvals?status=pending",
  );
  return data.map(({ id }) => id);
}

async function newestRun(api: Api): Promise<Pick<RunView, "status">> {
  const { data } = await api.request<ListView<RunView>>("GET", "/v1/runs?limit=1");
  return data[0] ?? { status: "queued" };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(pauseMs);
}
