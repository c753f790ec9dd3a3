import { createHash } from "node:crypto";
import type { CallRecord } from "@capstan/core";
import { isClosing } from "../../records/run-status.ts";
import { idKey } from "../../sql/id-key.ts";
import { callsOf } from "../../read/read-journal.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { resumeOnAnswer } from "../runs/suspend-resume.ts";
import type { RunState } from "../state/run-states.ts";
import { isUnsettled } from "../../encode/call-records.ts";
import type { WriteContext } from "../state/write-context.ts";

type SubmitOutputs = Extract<StoreWrite, { type: "submit-outputs" }>;

/**
 * Stores the outputs of a client's calls. The first output of a call counts, and repeating it
 * changes nothing. If one output is rejected, none is stored.
 */
export function* submitOutputs(
  context: WriteContext,
  { owner, runId, outputs, claims }: SubmitOutputs,
  at: number,
): Script<OutcomeOf<SubmitOutputs>> {
  const run = context.runs.get(runId);
  if (run === undefined || run.owner !== owner) return { status: "not_found" };
  const taken: string[] = [];
  const calls = new Map((yield* callsOf(run)).map(({ call }) => [call.callId, call]));
  for (const { callId, output: text } of outputs) {
    const output = JSON.stringify(text);
    const digest = createHash("sha256").update(output).digest("hex");
    const call = calls.get(callId);
    const known = yield* readDigest(run, callId);
    if (known === digest) continue;
    const problem =
      known === undefined
        ? problemOf(run, callId, call)
        : `The call ${callId} already has another output, and the first one applies.`;
    if (problem !== undefined)
      return { status: "refused", callId, reason: problem, known: call !== undefined };
    context.changes.insert("client_outputs", {
      run_n: run.n,
      call_id: idKey(callId),
      owner,
      digest,
      output,
      submitted_at: at,
    });
    taken.push(callId);
  }
  const resumption =
    taken.length === 0 ? {} : yield* resumeOnAnswer(context, runId, { at, claims });
  return { status: "submitted", taken, ...resumption };
}

/**
 * Deletes an output that is no longer needed, because the call is settled and its record has the
 * text.
 */
export function deleteOutput({ changes }: WriteContext, runN: number, callId: string): void {
  changes.update("client_outputs", { run_n: runN, call_id: idKey(callId) }, { output: null });
}

/** Returns why a call accepts no output. */
function problemOf(
  run: RunState,
  callId: string,
  call: CallRecord | undefined,
): string | undefined {
  if (call === undefined) return `This run made no call ${callId}.`;
  if (call.owner !== "client")
    return `The call ${callId} of ${call.name} is run by the server: only a client's own calls take an output.`;
  if (!isUnsettled(call.status))
    return `The call ${callId} of ${call.name} does not wait for an output any more: it is ${call.status}.`;
  if (isClosing(run.status))
    return `This run is ${run.status}: send the outputs of its open calls with a new response that continues it.`;
  return undefined;
}

const findDigest = statement<{ digest: string }>(
  { reads: ["client_outputs"] },
  "SELECT digest FROM client_outputs WHERE run_n = ? AND call_id = ?",
);

function* readDigest(run: RunState, callId: string): Script<string | undefined> {
  return (yield* first(findDigest, run.n, idKey(callId)))?.digest;
}
