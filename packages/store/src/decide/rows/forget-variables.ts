import type { OutcomeOf, StoreWrite } from "../../records/store-writes.ts";
import type { Writing } from "../state/decision.ts";

type ForgetVariables = Extract<StoreWrite, { type: "forget-variables" }>;

/** Reads none of the rows that it removes: they are what cannot be read. */
export function forgetVariables(
  writing: Writing,
  { runId, epoch }: ForgetVariables,
): OutcomeOf<ForgetVariables> {
  const run = writing.runs.get(runId);
  if (run?.epoch !== epoch)
    return { status: "fenced", reason: `Run ${runId} is not held in epoch ${epoch}.` };
  const { n, baseManifest: manifest } = run;
  const edits = run.edits + 1;
  writing.changes.update("runs", { n }, { edits, manifest });
  writing.changes.remove("run_variables", { run_n: n });
  writing.runs.set({ ...run, edits, manifest, variables: 0, changes: [] });
  return { status: "forgotten" };
}
