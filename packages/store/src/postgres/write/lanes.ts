import type { EncodedRequest, EncodedWrite, JournalAct } from "../../encode/run-commit.ts";

/** A call of a batch, with its index. */
export interface BatchCall {
  readonly at: number;
  readonly request: EncodedRequest;
}

/** Calls in order that share a run or an approval. */
export type Lane = readonly BatchCall[];

/**
 * Splits a batch into stages of lanes. The lanes of a stage are decided concurrently, with the same
 * results as if all calls were decided one after another. A call that affects more than the runs
 * and approvals that it names has a separate stage.
 */
export function stagesOf(requests: readonly EncodedRequest[]): readonly (readonly Lane[])[] {
  const stages: (readonly Lane[])[] = [];
  let concurrent: { readonly call: BatchCall; readonly names: readonly string[] }[] = [];
  const end = () => {
    if (concurrent.length > 0) stages.push(lanesOf(concurrent));
    concurrent = [];
  };
  for (const [at, request] of requests.entries()) {
    const call = { at, request };
    const names = request.writes.map(namesIn);
    if (names.every((some) => some !== undefined)) {
      concurrent.push({ call, names: names.flat() });
      continue;
    }
    end();
    stages.push([[call]]);
  }
  end();
  return stages;
}

/** Groups calls that share a run or an approval, directly or through another call. */
function lanesOf(
  calls: readonly { readonly call: BatchCall; readonly names: readonly string[] }[],
): readonly Lane[] {
  interface Joined {
    readonly names: Set<string>;
    readonly calls: BatchCall[];
  }
  const laneOf = new Map<string, Joined>();
  const lanes = new Set<Joined>();
  for (const { call, names } of calls) {
    const lane: Joined = { names: new Set(names), calls: [call] };
    for (const name of names) {
      const other = laneOf.get(name);
      if (other === undefined || !lanes.delete(other)) continue;
      for (const each of other.names) lane.names.add(each);
      lane.calls.push(...other.calls);
    }
    for (const name of lane.names) laneOf.set(name, lane);
    lanes.add(lane);
  }
  return [...lanes].map((lane) => lane.calls.toSorted((a, b) => a.at - b.at));
}

/**
 * Returns the runs and approvals that a write reads and changes, or undefined if it depends on
 * more. A session has the name of its first run.
 */
function namesIn(write: EncodedWrite): readonly string[] | undefined {
  switch (write.type) {
    case "create-run": {
      const { id, parentId, sessionId } = write.run;
      return [
        id,
        ...(parentId === undefined ? [] : [parentId]),
        ...(sessionId === undefined ? [] : [sessionId]),
      ];
    }
    case "commit":
      // If a run took over the turn of another run, both can write the same approval.
      return [write.runId, ...write.acts.flatMap(approvalsOf)];
    case "deltas":
    case "claim-run":
    case "set-status":
    case "submit-outputs":
    case "save-items":
    case "edit-variables":
      return [write.runId];
    case "claim-key":
      return [`${write.key.id} ${write.owner}`];
    case "answer-approval":
      return write.runId === undefined ? undefined : [write.runId, write.id];
    default:
      return undefined;
  }
}

function approvalsOf(act: JournalAct): readonly string[] {
  switch (act.type) {
    case "asked":
    case "answered":
    case "quarantine":
      return [act.id];
    case "settled":
      return [act.approval, act.review].filter((id) => id !== undefined);
    case "answerable":
      return [];
  }
}
