import type { JournalAct } from "../encode/run-commit.ts";
import { idKey } from "../sql/id-key.ts";
import { addAnswerable } from "./calls/answerable-calls.ts";
import { deleteOutput } from "./calls/submit-outputs.ts";
import { quarantineResult, wipeQuarantine } from "./permissions/quarantine.ts";
import { cancelApproval, decideApproval } from "./runs/decide-approval.ts";
import { noteApproval, noteOutcome } from "./state/note-run.ts";
import type { RunState } from "./state/run-states.ts";
import type { WriteContext } from "./state/write-context.ts";

/** Applies a commit's changes of approvals, quarantine and answerable calls. */
export function applyAct(
  context: WriteContext,
  run: RunState,
  { act, at }: { readonly act: JournalAct; readonly at: number },
): void {
  switch (act.type) {
    case "asked":
      return insertApproval(context, run, act);
    case "answered":
      // `answer-approval` has already stored most answers; they stay unchanged.
      noteApproval(context, run, { type: "approval.answered", approval: act.id });
      return decideApproval(context, { ...act, owner: run.owner });
    case "quarantine":
      return quarantineResult(context, run, act);
    case "answerable":
      if (act.by === "person")
        noteOutcome(context, run, { type: "outcome.requested", call: act.callId });
      return addAnswerable(context, run, act);
    case "settled":
      if (act.client !== undefined) deleteOutput(context, run.n, act.client);
      if (act.approval !== undefined) {
        cancelApproval(context, run.n, act.approval, at);
        noteApproval(context, run, { type: "approval.answered", approval: act.approval });
      }
      if (act.review !== undefined) wipeQuarantine(context, act.review);
  }
}

/** Stores an approval request. An existing request keeps its state. */
function insertApproval(
  context: WriteContext,
  run: RunState,
  asked: Extract<JournalAct, { type: "asked" }>,
): void {
  const { id, kind, callId, createdAt, expiresAt, request } = asked;
  noteApproval(context, run, { type: "approval.requested", approval: id });
  context.changes.insert("approvals", {
    id,
    owner: run.owner,
    run_n: run.n,
    call_id: idKey(callId),
    kind,
    status: "pending",
    created_at: createdAt,
    expires_at: expiresAt,
    request,
  });
}
