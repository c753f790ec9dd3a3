import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

type CreateCompletion = Extract<StoreWrite, { type: "create-completion" }>;
type ChangeCompletion = Extract<StoreWrite, { type: "change-completion" }>;

/** The lock keeps another node from deleting the run before this commit. */
const lockRun = statement<{ n: number }>(
  { reads: ["runs", "completions"] },
  ({ lock }) => `SELECT r.n FROM runs r WHERE r.id = ? AND r.owner = ?
    AND EXISTS (SELECT 1 FROM completions c WHERE c.run_n = r.n)${lock("r")}`,
);

/** Stores a run as a choice of a chat completion. */
export function createCompletion(
  { changes, runs }: WriteContext,
  { owner, runId, completion }: CreateCompletion,
): OutcomeOf<CreateCompletion> {
  const run = runs.get(runId);
  if (run === undefined || run.owner !== owner) return { status: "not_found" };
  const { of = runId, choice, model, metadata } = completion;
  changes.insert("completions", {
    run_n: run.n,
    owner,
    completion_id: of,
    choice,
    model,
    metadata: JSON.stringify(metadata),
  });
  return { status: "created" };
}

/** Replaces the metadata of a chat completion. */
export function* changeCompletion(
  { changes }: WriteContext,
  { owner, id, metadata }: ChangeCompletion,
): Script<OutcomeOf<ChangeCompletion>> {
  const run = yield* first(lockRun, id, owner);
  if (run === undefined) return { status: "not_found" };
  changes.update("completions", { run_n: run.n }, { metadata: JSON.stringify(metadata) });
  return { status: "changed_completion" };
}
