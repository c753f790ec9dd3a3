import type { VariableSystem } from "@capstan/core";
import type { RunRecord, StoreWrite } from "@capstan/store";
import type { WarmRuns } from "./active/warm-runs.ts";
import { isProgramCall } from "./request/program-call.ts";
import type { RunRequest } from "./request/run-request.ts";

/** A run that starts before its creation is committed. */
export interface EarlyRun {
  /** The record as the store will have it. */
  readonly run: RunRecord;
  /** Its initial variables: those of its parent, in the version that its first commit requires. */
  readonly variables: VariableSystem;
}

/** Longer inputs are stored separately from the run, which takes a step before its commit. */
const inputChars = 4_000;

/**
 * Returns the run of a program's call that can begin before its first commit, or `undefined` if it
 * must wait. Its parent only has variables, and this process has cached them.
 *
 * The creation of such a run and the start of its call are often stored in one commit. The call still
 * waits until its start is stored. If the run is not created, its start cannot be stored, so the call
 * does not run.
 *
 * @param parent the run that has the variables
 * @param writes the writes that create the run
 */
export function earlyRun(
  warm: WarmRuns,
  request: RunRequest,
  {
    parent,
    writes: [made],
    at,
  }: {
    readonly parent: RunRecord | undefined;
    readonly writes: readonly StoreWrite[];
    readonly at: number;
  },
): EarlyRun | undefined {
  if (made?.type !== "create-run" || parent?.kind !== "edit" || !isProgramCall(request))
    return undefined;
  if ((request.call?.arguments.length ?? 0) > inputChars) return undefined;
  const variables = warm.forkVariables(parent);
  if (variables === undefined) return undefined;
  const { parentVersion: _read, blobs: _none, ...run } = made.run;
  return {
    variables,
    run: {
      kind: "turn",
      status: "in_progress",
      conversationId: null,
      parentId: parent.id,
      stored: true,
      title: null,
      ...run,
      isInputCut: false,
      sessionId: parent.sessionId,
      epoch: 1,
      edits: 0,
      result: null,
      lastSeq: 0,
      createdAt: at,
      updatedAt: at,
      endedAt: null,
    },
  };
}
