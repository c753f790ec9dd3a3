import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type ForgetVariables = Extract<StoreWrite, { type: "forget-variables" }>;

/** Reads none of the rows that it removes: they are what cannot be read. */
export function forgetVariables(
  context: WriteContext,
  { runId, epoch }: ForgetVariables,
): OutcomeOf<ForgetVariables> {
  const run = context.runs.get(runId);
  if (run?.epoch !== epoch)
    return { status: "fenced", reason: `Run ${runId} is not held in epoch ${epoch}.` };
  const { n, baseManifest: manifest } = run;
  const edits = run.edits + 1;
  context.changes.update("runs", { n }, { edits, manifest });
  context.changes.remove("run_variables", { run_n: n });
  context.runs.set({ ...run, edits, manifest, variables: 0, changes: [] });
  return { status: "forgotten" };
}
