import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RunStatus } from "@capstan/contract";
import type { Store } from "../live/store.ts";
import type { StoreWrite } from "./store-writes.ts";
import { isAccepted } from "./write-outcomes.ts";
import { createRun, event, owner, withMemoryStore } from "../testing/store-fixtures.ts";
import { isClosing, type RestingStatus, transition, transitions } from "./run-status.ts";

type From = RunStatus | "none";

const statuses = (Object.keys(transitions) as From[]).filter((status) => status !== "none");
const note = event({ type: "run.heartbeat", at: 1 });
const runId = "r";

type Step =
  | { readonly type: "create"; readonly to: RunStatus }
  | { readonly type: "claim"; readonly late: boolean }
  | { readonly type: "write"; readonly late: boolean; readonly to: RunStatus }
  | { readonly type: "rest"; readonly late: boolean; readonly to: RestingStatus };

const to = fc.constantFrom(...statuses);
const rest = fc.constantFrom<RestingStatus>("queued", "requires_action");
/** Whether a write has an old epoch. */
const late = fc.integer({ min: 0, max: 4 }).map((n) => n === 0);
const type = <T extends Step["type"]>(name: T) => fc.constant(name);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ type: type("create"), to }) },
  { weight: 4, arbitrary: fc.record({ type: type("claim"), late }) },
  { weight: 4, arbitrary: fc.record({ type: type("write"), late, to }) },
  { weight: 2, arbitrary: fc.record({ type: type("rest"), late, to: rest }) },
);

/** The expected state of a run. */
interface Model {
  readonly status: From;
  readonly epoch: number;
  readonly events: number;
}

/** Returns the run after a step, or undefined if the step must be rejected. */
function after({ status, epoch, events }: Model, given: Step): Model | undefined {
  const may = (wish: RunStatus) => transition(status, wish).status === "allowed";
  if (given.type === "create") {
    if (status !== "none" || !may(given.to)) return undefined;
    return { status: given.to, epoch: given.to === "queued" ? 0 : 1, events };
  }
  if (status === "none" || isClosing(status) || given.late) return undefined;
  if (given.type === "claim") return { status: "in_progress", epoch: epoch + 1, events };
  // Setting the current status again is not a transition.
  if (given.to !== status && !may(given.to)) return undefined;
  if (given.type === "write") return { status: given.to, epoch, events: events + 1 };
  // A process that queues its run no longer owns it.
  const isGiven = given.to === "queued" && status !== "queued";
  return { status: given.to, epoch: isGiven ? epoch + 1 : epoch, events };
}

function writeOf(given: Step, model: Model): StoreWrite {
  const epoch = model.epoch - ("late" in given && given.late ? 1 : 0);
  switch (given.type) {
    case "create":
      return {
        type: "create-run",
        run: { id: runId, owner, model: "m", request: {}, input: [], status: given.to },
      };
    case "claim":
      return { type: "claim-run", runId, epoch };
    case "write":
      return { type: "journal", runId, epoch, writes: [note], status: given.to };
    case "rest":
      return { type: "set-status", runId, epoch, status: given.to };
  }
}

// Contract: durability-8
test("in any sequence of writes, a run follows the table of transitions and ends at most once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), (steps) =>
      withMemoryStore(async (store) => {
        let model: Model = { status: "none", epoch: 0, events: 0 };
        let ends = 0;
        store.subscribe(runId, ({ closed }) => (ends += closed ? 1 : 0));
        for (const given of steps) {
          const next = after(model, given);
          const [outcome] = await store.write([writeOf(given, model)]);
          assert.equal(isAccepted(outcome), next !== undefined, JSON.stringify([given, outcome]));
          if (!isAccepted(outcome) && outcome.status !== "not_found")
            assert.ok("reason" in outcome && outcome.reason.length > 10);
          model = next ?? model;
          assert.deepEqual(await stored(store), model);
        }
        const endedByWriting =
          model.events > 0 && model.status !== "none" && isClosing(model.status);
        assert.equal(ends, endedByWriting ? 1 : 0);
      }),
    ),
    { numRuns: 150 },
  );
});

for (const status of ["queued", "in_progress", "requires_action"] as const)
  test(`a run that is ${status} can be claimed and ended`, async () => {
    await withMemoryStore(async (store) => {
      await createRun(store, { id: runId });
      if (status !== "in_progress")
        await store.write([{ type: "set-status", runId, epoch: 1, status }]);
      const epoch = status === "queued" ? 2 : 1;
      const outcomes = await store.write([
        { type: "claim-run", runId, epoch },
        { type: "journal", runId, epoch: epoch + 1, writes: [note], status: "cancelled" },
      ]);
      assert.ok(outcomes.every(isAccepted));
    });
  });

async function stored(store: Store): Promise<Model> {
  const run = await store.getRun({ owner, id: runId });
  if (run === undefined) return { status: "none", epoch: 0, events: 0 };
  return { status: run.status, epoch: run.epoch, events: run.lastSeq };
}
