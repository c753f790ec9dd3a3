import { audit } from "./audit.ts";
import { type Clients, createClients } from "./clients.ts";
import type { Combination } from "./stores/combinations.ts";
import { everyRun, type LeftRun, readRun } from "./end-state.ts";
import { readExecutions } from "./executions.ts";
import { inTime } from "./in-time.ts";
import { openPlace, type Place } from "./place.ts";
import type { Proof } from "./proof.ts";
import { randomOf } from "./random.ts";

export interface ProvingGroundOptions {
  readonly combination: Combination;
  readonly seed: number;
  /** On a store that can be full. @default false */
  readonly smallDisk?: boolean;
}

/** Nodes with clients, for one proof after another. */
export interface ProvingGround extends AsyncDisposable {
  /** @param progress called after each injected fault */
  prove(proof: Proof, times: number, progress?: (done: number) => void): Promise<Outcome>;
}

/** The result of a proof: its counts and its faults. */
export interface Outcome {
  readonly runs: number;
  readonly calls: number;
  readonly unknown: number;
  /** Broken promises. */
  readonly problems: readonly string[];
  /** Effects that did not occur. In a few rounds this can be chance. */
  readonly missing: readonly string[];
}

export async function openProvingGround({
  combination,
  seed,
  smallDisk = false,
}: ProvingGroundOptions): Promise<ProvingGround> {
  // The faults do not depend on the clients' random choices.
  const random = randomOf(seed);
  const place = await openPlace({ combination, random: randomOf(seed + 1), smallDisk });
  const leaving = new AbortController();
  const { signal } = leaving;
  const clients = createClients({ place, random: randomOf(seed + 2), signal });
  let judged: ReadonlySet<string> = new Set();
  return {
    async prove(proof, times, progress = () => {}) {
      try {
        const unseen = (await proof.run({ place, clients, random, times, progress })) ?? [];
        const { runs, problems, missing } = await judge(proof, place, clients, judged);
        judged = new Set([...judged, ...runs.map(({ run }) => run.id)]);
        return { ...counted(runs), problems, missing: [...unseen, ...missing] };
      } catch (thrown) {
        const unended = clients.unended().join(", ") || "none";
        const said = place.output().slice(-5_000);
        throw new Error(`Runs of which no end was seen: ${unended}. The nodes said:\n${said}`, {
          cause: thrown,
        });
      }
    },
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Ends the remaining runs, and audits all runs since the last audit. */
async function judge(
  proof: Proof,
  place: Place,
  clients: Clients,
  judged: ReadonlySet<string>,
): Promise<{ readonly runs: readonly LeftRun[] } & Pick<Outcome, "problems" | "missing">> {
  await place.startAll();
  const api = await place.anyApi();
  const isNew = (id: string) => !judged.has(id);
  // Includes runs whose start was never confirmed because the node died.
  const begun = (await everyRun(api)).map(({ id }) => id).filter(isNew);
  await inTime(clients.finish(begun), "Not every run ended");
  const runs: LeftRun[] = [];
  for (const id of begun) runs.push(await readRun(api, id));
  const all = await readExecutions(place.executions);
  const executions = all.filter(({ key }) => isNew(key.split("/")[0] ?? ""));
  const confirmed = clients.confirmed.filter(isNew);
  const state = { runs, executions, confirmed, told: clients.told };
  const missing = proof.evidence?.({ ...state, output: place.output() }) ?? [];
  return { runs, problems: audit(state), missing };
}

function counted(runs: readonly LeftRun[]): Pick<Outcome, "runs" | "calls" | "unknown"> {
  const calls = runs.flatMap((left) => left.calls);
  const unknown = calls.filter(({ status }) => status === "outcome_unknown").length;
  return { runs: runs.length, calls: calls.length, unknown };
}
