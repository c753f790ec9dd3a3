import type { StopRequest } from "../nodes.ts";
import type { Statement } from "../script.ts";
import { type Batch, doneIn } from "./batch.ts";

/** The channel on which nodes tell each other that there is something to read. */
export const channel = "capstan_runs";

/** What a node is told: by whom, and of which runs. */
export interface Told {
  readonly by: string;
  readonly runs?: readonly string[];
  readonly stop?: StopRequest;
}

/** A notification takes less than 8,000 bytes. */
const most = 7_000;

/** The runs of which a reader on another node may want to know. */
export function toldRuns(batch: Batch): ReadonlySet<string> {
  const runs = new Set<string>();
  for (const [write, outcome] of doneIn(batch)) {
    if (outcome.status === "deleted") for (const id of outcome.runIds) runs.add(id);
    else if ("runId" in write) runs.add(write.runId);
    else if (write.type === "create-run") runs.add(write.run.id);
    if ("approval" in outcome) runs.add(outcome.approval.runId);
    if (outcome.status === "expired") for (const { runId } of outcome.approvals) runs.add(runId);
  }
  return runs;
}

/** Delivered with the commit, to those who listen then: a hint, never the events themselves. */
export function tellStatements(by: string, runs: ReadonlySet<string>): Statement[] {
  const statements: Statement[] = [];
  let some: string[] = [];
  let bytes = 0;
  const send = () => {
    if (some.length === 0) return;
    const told: Told = { by, runs: some };
    statements.push({
      text: "SELECT pg_notify(?, ?)",
      values: [channel, JSON.stringify(told)],
    });
    some = [];
    bytes = 0;
  };
  for (const id of runs) {
    const size = Buffer.byteLength(JSON.stringify(id)) + 1;
    // Nobody can be told of an id that fills a notification alone; its readers find out when they read.
    if (size > most) continue;
    if (bytes + size > most) send();
    some.push(id);
    bytes += size;
  }
  send();
  return statements;
}
