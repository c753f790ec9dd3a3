import type { EncodedRequest, EncodedWrite } from "../encoding/encoded-journal.ts";

/** A call of a batch, with its place in it. */
export interface Call {
  readonly at: number;
  readonly request: EncodedRequest;
}

/** Calls in order that have a run in common. */
export type Lane = readonly Call[];

/** Either lanes that are decided beside each other, or one call that nothing may go beside. */
export type Stretch =
  | { readonly type: "lanes"; readonly lanes: readonly Lane[] }
  | { readonly type: "alone"; readonly call: Call };

/** A batch in stretches, one after another: what they decide is as if each call came after the one before. */
export function stretchesOf(requests: readonly EncodedRequest[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let beside: { readonly call: Call; readonly runs: readonly string[] }[] = [];
  const end = () => {
    if (beside.length > 0) stretches.push({ type: "lanes", lanes: lanesOf(beside) });
    beside = [];
  };
  for (const [at, request] of requests.entries()) {
    const call = { at, request };
    const runs = request.writes.map(runsIn);
    if (runs.every((some) => some !== undefined)) {
      beside.push({ call, runs: runs.flat() });
      continue;
    }
    end();
    stretches.push({ type: "alone", call });
  }
  end();
  return stretches;
}

/** Who names a run, or one that somebody names with it, is in its lane. */
function lanesOf(
  calls: readonly { readonly call: Call; readonly runs: readonly string[] }[],
): readonly Lane[] {
  interface Joined {
    readonly runs: Set<string>;
    readonly calls: Call[];
  }
  const laneOf = new Map<string, Joined>();
  const lanes = new Set<Joined>();
  for (const { call, runs } of calls) {
    const lane: Joined = { runs: new Set(runs), calls: [call] };
    for (const run of runs) {
      const other = laneOf.get(run);
      if (other === undefined || !lanes.delete(other)) continue;
      for (const each of other.runs) lane.runs.add(each);
      lane.calls.push(...other.calls);
    }
    for (const run of lane.runs) laneOf.set(run, lane);
    lanes.add(lane);
  }
  return [...lanes].map((lane) => lane.calls.toSorted((a, b) => a.at - b.at));
}

/**
 * The runs on which alone a write decides, and of which alone it changes anything; undefined where it
 * is about more. A session is its first run's.
 */
function runsIn(write: EncodedWrite): readonly string[] | undefined {
  switch (write.type) {
    case "create-run": {
      const { id, parentId, sessionId } = write.run;
      return [
        id,
        ...(parentId === undefined ? [] : [parentId]),
        ...(sessionId === undefined ? [] : [sessionId]),
      ];
    }
    case "journal":
    case "deltas":
    case "claim-run":
    case "set-status":
    case "submit-outputs":
    case "save-items":
    case "edit-variables":
      return [write.runId];
    case "answer-approval":
      return write.runId === undefined ? undefined : [write.runId];
    default:
      return undefined;
  }
}
