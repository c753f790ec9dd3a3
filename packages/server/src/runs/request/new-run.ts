import type { ChainState, Message } from "@capstan/core";
import {
  isAccepted,
  type RunJournalWrite,
  type RunRecord,
  type StoreWrite,
  type WriteOutcome,
  type RunVersion,
  encodeRunRequest,
  type StoredRequest,
} from "@capstan/store";
import type { RunRequest } from "./run-request.ts";

/**
 * All of a new run in one commit: its row, what it begins with, and its conversation's new head.
 * So nothing of what was said is lost, wherever it stops.
 *
 * @param inherited the unfinished turn that it takes over
 * @param status `queued` where it finds no place yet
 */
export function newRunWrites(
  id: string,
  request: RunRequest,
  inherited: ChainState | undefined,
  status: "in_progress" | "queued" = "in_progress",
): readonly StoreWrite[] {
  const { principal: owner, model, parentId, conversationId, inputItems } = request;
  const { instructions, servers, clientTools, settings, maxToolCalls } = request;
  const { approvals, toolOutputs, blobs } = request;
  const { context, outputs, answers, continuesParent, wire, history, call } = request;
  const stored: StoredRequest = {
    version: 1,
    instructions,
    servers,
    clientTools,
    settings,
    maxToolCalls,
    approvals,
    toolOutputs,
    history,
    context,
    outputs,
    answers,
    continuesParent,
    adopts: inherited !== undefined,
    wire,
    ...(call !== undefined && { call }),
  };
  return [
    {
      type: "create-run",
      run: {
        id,
        owner,
        model,
        status,
        request: encodeRunRequest(stored),
        input: inputItems,
        ...(blobs !== undefined && { blobs }),
        ...(parentId !== null && { parentId }),
        ...(conversationId !== null && { conversationId }),
      },
    },
    ...conversationWrites(id, request),
    {
      type: "journal",
      runId: id,
      epoch: status === "queued" ? 0 : 1,
      writes: opening(request, inherited),
    },
  ];
}

/** The run that these writes made, as it is stored; undefined where they were refused. */
export function newRunRecord(
  writes: readonly StoreWrite[],
  outcomes: readonly WriteOutcome[],
): RunRecord | undefined {
  const [made] = writes;
  const [outcome] = outcomes;
  if (made?.type !== "create-run" || outcome === undefined || !("createdAt" in outcome))
    return undefined;
  if (!outcomes.every(isAccepted)) return undefined;
  const { sessionId, epoch, createdAt } = outcome;
  const { blobs: _stored, ...run } = made.run;
  return {
    kind: "turn",
    status: "in_progress",
    conversationId: null,
    parentId: null,
    stored: true,
    title: null,
    ...run,
    isInputCut: false,
    sessionId,
    epoch,
    edits: 0,
    result: null,
    lastSeq: 0,
    createdAt,
    updatedAt: createdAt,
    endedAt: null,
  };
}

/** Where a new run's variables come from, where it has none of its own. */
export function variablesOrigin(
  { parentId, variables = [] }: RunRequest,
  [made]: readonly WriteOutcome[],
): VariablesOrigin | undefined {
  if (variables.length > 0) return undefined;
  if (parentId === null) return "nothing";
  return made !== undefined && "parent" in made ? made.parent : undefined;
}

/** The messages that a new run's first commit has: its chain need not write them again. */
export function openingMessages(
  { inputMessages }: RunRequest,
  inherited: ChainState | undefined,
): readonly Message[] {
  return [...(inherited?.messages ?? []), ...inputMessages];
}

function opening(
  request: RunRequest,
  inherited: ChainState | undefined,
): readonly RunJournalWrite[] {
  const messages = openingMessages(request, inherited);
  return [
    ...messages.map((message) => ({ type: "message", round: 0, message }) as const),
    ...(inherited?.calls ?? []).map((call) => ({ type: "call", call }) as const),
    ...(request.variables ?? []).map(
      (variable) => ({ type: "variable", change: { type: "set", variable } }) as const,
    ),
  ];
}

/** Where a new run's variables come from: the run that it continues, as that was when this one was made. */
export type VariablesOrigin = RunVersion | "nothing";

/** Moves the conversation on to its new run, and names it after its first message. */
function conversationWrites(
  runId: string,
  { principal: owner, conversationId: id, parentId: from, title }: RunRequest,
): readonly StoreWrite[] {
  if (id === null) return [];
  const moved: StoreWrite = { type: "move-head", owner, id, from, to: runId };
  if (title === null) return [moved];
  return [moved, { type: "update-conversation", owner, id, update: { title } }];
}
