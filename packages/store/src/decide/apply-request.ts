import { errorDataOf } from "../records/error-data.ts";
import type { AppliedOutcome, WriteResult } from "../records/write-results.ts";
import type { EncodedRequest, EncodedWrite } from "../encode/run-commit.ts";
import type { Script } from "../sql/script.ts";
import { isAccepted } from "../records/write-outcomes.ts";
import { deleteConnection, saveConnection } from "./connections/write-connections.ts";
import {
  claimCredential,
  deleteCredential,
  saveCredential,
} from "./connections/write-credentials.ts";
import { answerCall } from "./calls/answer-call.ts";
import { claimRun } from "./runs/claim-run.ts";
import { collectForgotten } from "./forget/collect-forgotten.ts";
import { deleteConversation, deleteRun } from "./forget/delete-runs.ts";
import { dropUnreachable } from "./forget/drop-unreachable.ts";
import { forgetLineage } from "./forget/forget-lineage.ts";
import { createFile, deleteFile, expireFiles } from "./files/write-files.ts";
import { addUploadPart, createUpload, endUpload } from "./files/write-uploads.ts";
import { submitOutputs } from "./calls/submit-outputs.ts";
import { answerApproval, expireApprovals } from "./permissions/write-approvals.ts";
import { createConversation, moveHead, updateConversation } from "./runs/write-conversations.ts";
import { claimKey } from "./runs/claim-key.ts";
import { changeCompletion, createCompletion } from "./runs/write-completions.ts";
import { indexRuns } from "./search/index-runs.ts";
import { createGrant, revokeGrant } from "./permissions/write-grants.ts";
import { deleteAgent, saveAgent } from "./permissions/write-agents.ts";
import { changeOverride, resetOverride } from "./permissions/write-overrides.ts";
import { revokeShare, shareConversation } from "./permissions/write-shares.ts";
import { deleteThreadObject, saveThreadObject } from "./runs/write-thread-objects.ts";
import { claimIndex, indexFile, indexParts } from "./search/index-file.ts";
import { collectChunks } from "./search/collect-chunks.ts";
import {
  addStoreFiles,
  cancelBatch,
  changeStoreFile,
  removeStoreFile,
} from "./search/write-store-files.ts";
import { deleteVectorStore, saveVectorStore } from "./search/write-vector-stores.ts";
import { claimMessages, settleMessage } from "./webhooks/claim-messages.ts";
import { queueMessages } from "./webhooks/queue-messages.ts";
import { saveItems } from "./rows/write-items.ts";
import { writeCommit, writeDeltas } from "./write-commit.ts";
import { createRun, setStatus } from "./runs/write-runs.ts";
import { editVariables, forgetVariables } from "./rows/write-variables.ts";
import type { WriteContext } from "./state/write-context.ts";

/** The results of the requests of a transaction. */
export interface Applied {
  readonly results: readonly WriteResult[];
  /**
   * The last request was rejected after it had changed something: the transaction must be rolled
   * back.
   */
  readonly undo: boolean;
}

/**
 * Applies the requests of a transaction, each completely or not at all. A request that fails before
 * its first change does not affect others. After a later failure, the caller rolls back and retries
 * with fewer requests.
 *
 * @throws the error of a request that has changed something
 */
export function* applyRequests(
  context: WriteContext,
  requests: readonly EncodedRequest[],
): Script<Applied> {
  const { changes, failedWrites, notes } = context;
  const results: WriteResult[] = [];
  for (const request of requests) {
    const before = changes.count;
    notes.length = 0;
    try {
      const outcomes = yield* applyRequest(context, request);
      const last = outcomes.at(-1);
      const isDone = last === undefined || isAccepted(last);
      results.push(
        isDone
          ? { outcomes, ...(notes.length > 0 && { changed: [...notes] }) }
          : { outcomes: refusedOutcomes(request, outcomes) },
      );
      if (isDone) queueMessages(context, notes, request.at);
      else if (changes.count > before) return { results, undo: true };
    } catch (thrown) {
      if (changes.count > before) throw thrown;
      failedWrites.add(request.writes);
      results.push({ error: errorDataOf("Writing to the store", thrown) });
    }
  }
  return { results, undo: false };
}

/** Applies the writes of a request until one is not accepted; its outcome is then the last one. */
function* applyRequest(context: WriteContext, request: EncodedRequest): Script<AppliedOutcome[]> {
  if (request.encodeError !== undefined) throw new Error(request.encodeError);
  const outcomes: AppliedOutcome[] = [];
  for (const write of request.writes) {
    const outcome = yield* applyWrite(context, write, request.at, outcomes);
    outcomes.push(outcome);
    if (!isAccepted(outcome)) break;
  }
  return outcomes;
}

/** Returns the outcomes for the caller if the last write was rejected and everything was undone. */
function refusedOutcomes(
  request: EncodedRequest,
  outcomes: readonly AppliedOutcome[],
): AppliedOutcome[] {
  return request.writes.map((_, index) =>
    index === outcomes.length - 1 ? (outcomes[index] as AppliedOutcome) : { status: "skipped" },
  );
}

function* applyWrite(
  context: WriteContext,
  write: EncodedWrite,
  at: number,
  before: readonly AppliedOutcome[],
): Script<AppliedOutcome> {
  switch (write.type) {
    case "create-run":
      return yield* createRun(context, write, at);
    case "commit":
      return yield* writeCommit(context, write, at);
    case "deltas":
      return yield* writeDeltas(context, write, at);
    case "claim-run":
      return claimRun(context, write, at);
    case "set-status":
      return yield* setStatus(context, write, at);
    case "answer-approval":
      return yield* answerApproval(context, write, at);
    case "expire-approvals":
      return yield* expireApprovals(context, write, at);
    case "answer-call":
      return yield* answerCall(context, write);
    case "submit-outputs":
      return yield* submitOutputs(context, write, at);
    case "create-grant":
      return yield* createGrant(context, write);
    case "revoke-grant":
      return yield* revokeGrant(context, write, at);
    case "change-override":
      return yield* changeOverride(context, write, at);
    case "reset-override":
      return yield* resetOverride(context, write);
    case "share-conversation":
      return yield* shareConversation(context, write, at);
    case "revoke-share":
      return yield* revokeShare(context, write);
    case "save-agent":
      return yield* saveAgent(context, write, at);
    case "delete-agent":
      return yield* deleteAgent(context, write);
    case "save-connection":
      return yield* saveConnection(context, write, at);
    case "delete-connection":
      return yield* deleteConnection(context, write);
    case "save-credential":
      return yield* saveCredential(context, write, at);
    case "claim-credential":
      return yield* claimCredential(context, write, at);
    case "delete-credential":
      return yield* deleteCredential(context, write);
    case "save-thread-object":
      return yield* saveThreadObject(context, write, at);
    case "save-vector-store":
      return yield* saveVectorStore(context, write, at);
    case "delete-vector-store":
      return yield* deleteVectorStore(context, write);
    case "add-store-files":
      return yield* addStoreFiles(context, write, at);
    case "change-store-file":
      return yield* changeStoreFile(context, write, at);
    case "remove-store-file":
      return yield* removeStoreFile(context, write, at);
    case "cancel-batch":
      return yield* cancelBatch(context, write, at);
    case "claim-index":
      return yield* claimIndex(context, write);
    case "index-parts":
      return yield* indexParts(context, write);
    case "collect-chunks":
      return yield* collectChunks(context, write);
    case "index-file":
      return yield* indexFile(context, write, at);
    case "delete-thread-object":
      return yield* deleteThreadObject(context, write);
    case "claim-key":
      return yield* claimKey(context, write, at, before);
    case "create-completion":
      return createCompletion(context, write);
    case "change-completion":
      return yield* changeCompletion(context, write);
    case "create-conversation":
      return yield* createConversation(context, write, at);
    case "update-conversation":
      return yield* updateConversation(context, write, at);
    case "index-runs":
      return yield* indexRuns(context, write);
    case "move-head":
      return yield* moveHead(context, write, at);
    case "delete-conversation":
      return yield* deleteConversation(context, write);
    case "delete-run":
      return yield* deleteRun(context, write);
    case "forget-lineage":
      return yield* forgetLineage(context, write);
    case "collect-forgotten":
      return yield* collectForgotten(context, write);
    case "drop-unreachable":
      return yield* dropUnreachable(context, write);
    case "save-items":
      return yield* saveItems(context, write);
    case "edit-variables":
      return yield* editVariables(context, write);
    case "create-file":
      return yield* createFile(context, write, at);
    case "delete-file":
      return yield* deleteFile(context, write);
    case "expire-files":
      return yield* expireFiles(context, write, at);
    case "create-upload":
      return createUpload(context, write, at);
    case "add-upload-part":
      return yield* addUploadPart(context, write, at);
    case "end-upload":
      return yield* endUpload(context, write, at);
    case "claim-webhooks":
      return yield* claimMessages(context, write, at);
    case "settle-webhook":
      return yield* settleMessage(context, write);
    case "forget-variables":
      return forgetVariables(context, write);
  }
}
