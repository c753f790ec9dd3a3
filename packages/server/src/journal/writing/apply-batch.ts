import { type ErrorData, errorDataOf } from "../error-data.ts";
import { isAccepted, type OutcomeOf, type StoreWrite } from "../store-write.ts";
import { deleteConversation, deleteRun } from "./delete-runs.ts";
import { answerApproval, expireApprovals } from "./write-approvals.ts";
import { createConversation, moveHead, updateConversation } from "./write-conversations.ts";
import { createGrant, revokeGrant } from "./write-grants.ts";
import { clearLog } from "./quarantine.ts";
import { changeOverride, resetOverride } from "./write-overrides.ts";
import { saveItems } from "./write-items.ts";
import { type Journal, type Journaled, writeJournal } from "./write-journal.ts";
import { claimRun, createRun, setStatus } from "./write-runs.ts";
import { editVariables } from "./write-variables.ts";
import type { Writing } from "./writing.ts";

/** One call of `Store.write`. */
export interface WriteRequest {
  /** When the call was made, in ms since the epoch. */
  readonly at: number;
  readonly writes: readonly StoreWrite[];
}

export type AppliedOutcome = OutcomeOf<Exclude<StoreWrite, Journal>> | Journaled;
export type WriteResult =
  | { readonly outcomes: readonly AppliedOutcome[] }
  | { readonly error: ErrorData };

/** Writes many calls in one transaction. Each is all or nothing by itself; if the commit fails, none was done. */
export function applyBatch(writing: Writing, requests: readonly WriteRequest[]): WriteResult[] {
  try {
    writing.sql.run("BEGIN IMMEDIATE");
    const results = requests.map((request) => applyRequest(writing, request));
    writing.sql.run("COMMIT");
    writing.runs.settle();
    clearLog(writing);
    return results;
  } catch (thrown) {
    const error = errorDataOf("Writing to the store", thrown);
    if (writing.sql.inTransaction) writing.sql.run("ROLLBACK");
    writing.runs.rollback(0);
    return requests.map(() => ({ error }));
  }
}

function applyRequest(writing: Writing, request: WriteRequest): WriteResult {
  const mark = writing.runs.mark();
  writing.sql.run("SAVEPOINT request");
  try {
    const outcomes = applyUntilRefused(writing, request);
    const last = outcomes.at(-1);
    if (last === undefined || isAccepted(last)) {
      writing.sql.run("RELEASE request");
      return { outcomes };
    }
    undo(writing, mark);
    const refusedAt = outcomes.length - 1;
    return {
      outcomes: request.writes.map((_, index) =>
        index === refusedAt ? last : { status: "skipped" },
      ),
    };
  } catch (thrown) {
    // Some errors, a full disk among them, end the whole transaction.
    if (!writing.sql.inTransaction) throw thrown;
    undo(writing, mark);
    return { error: errorDataOf("Writing to the store", thrown) };
  }
}

function undo(writing: Writing, mark: number): void {
  writing.sql.run("ROLLBACK TO request");
  writing.sql.run("RELEASE request");
  writing.runs.rollback(mark);
}

function applyUntilRefused(writing: Writing, request: WriteRequest): AppliedOutcome[] {
  const outcomes: AppliedOutcome[] = [];
  for (const write of request.writes) {
    const outcome = applyWrite(writing, write, request.at);
    outcomes.push(outcome);
    if (!isAccepted(outcome)) break;
  }
  return outcomes;
}

function applyWrite(writing: Writing, write: StoreWrite, at: number): AppliedOutcome {
  switch (write.type) {
    case "create-run":
      return createRun(writing, write, at);
    case "journal":
      return writeJournal(writing, write, at);
    case "claim-run":
      return claimRun(writing, write, at);
    case "set-status":
      return setStatus(writing, write, at);
    case "answer-approval":
      return answerApproval(writing, write, at);
    case "expire-approvals":
      return expireApprovals(writing, at);
    case "create-grant":
      return createGrant(writing, write);
    case "revoke-grant":
      return revokeGrant(writing, write, at);
    case "change-override":
      return changeOverride(writing, write, at);
    case "reset-override":
      return resetOverride(writing, write);
    case "create-conversation":
      return createConversation(writing, write, at);
    case "update-conversation":
      return updateConversation(writing, write, at);
    case "move-head":
      return moveHead(writing, write, at);
    case "delete-conversation":
      return deleteConversation(writing, write);
    case "delete-run":
      return deleteRun(writing, write);
    case "save-items":
      return saveItems(writing, write);
    case "edit-variables":
      return editVariables(writing, write);
  }
}
