import type { ChainState, Clock, Message } from "@capstan/core";
import { neutraliseMessage, newId } from "@capstan/core/host";
import {
  isAccepted,
  isClosing,
  type NewRun,
  requestOf,
  type RunJournalWrite,
  type RequestKey,
  type RunRecord,
  type Store,
  type StoredRequest,
  type StoreWrite,
  type WriteOutcome,
  encodeRunRequest,
} from "@capstan/store";
import {
  isWaitingForApproval,
  readInheritedTurn,
  resumeInheritedTurn,
} from "./active/inherited-turn.ts";
import type { RunRegistry } from "./active/run-registry.ts";
import type { RunStores } from "./active/run-stores.ts";
import type { Dispatcher, Slots } from "./dispatch/dispatcher.ts";
import { type EarlyRun, earlyRun } from "./early-run.ts";
import { isProgramCall } from "./request/program-call.ts";
import type { ServerLimits } from "./request/run-limits.ts";
import type { RunRequest } from "./request/run-request.ts";
import { cacheVariables, type VariablesOrigin } from "./active/run-variables.ts";

export type StartOutcome =
  | { readonly status: "started"; readonly run: RunRecord }
  /** The conversation has a newer run, or its last run has not ended. */
  | { readonly status: "conflict"; readonly message: string };

export interface StartOptions {
  /** Whether the run is in the durable store; otherwise it is in memory until it expires. */
  readonly isDurable: boolean;
  /**
   * The key that is stored with the run. If another request has stored it by then, that is a
   * conflict.
   */
  readonly key?: RequestKey | undefined;
  /** Writes of the same commit. @default none */
  readonly also?: readonly StoreWrite[] | undefined;
  /**
   * Called right before the run is stored. Writes that it submits become part of the same commit,
   * but do not fail together with the run.
   */
  readonly onStore?: (() => void) | undefined;
}

export interface StartRunContext {
  readonly stores: RunStores;
  readonly registry: RunRegistry;
  readonly slots: Slots;
  readonly dispatcher: Dispatcher;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/**
 * Creates a run from a request. The run acquires a slot and starts, or is stored as queued.
 * Resolves when it is stored; the run continues on its own.
 */
export async function startRun(
  context: StartRunContext,
  given: RunRequest,
  options: StartOptions,
): Promise<StartOutcome> {
  // External text must not look like the system's own log, now or in later history.
  const request = {
    ...given,
    context: given.context.map(neutraliseMessage),
    inputMessages: given.inputMessages.map(neutraliseMessage),
  };
  // Creates one run at a time per parent, because two runs must not take over the same waiting
  // call.
  const { parentId, principal: owner } = request;
  if (parentId === null) return start(context, request, options);
  if (isProgramCall(request)) {
    const parent = await context.stores.forNew(options).getRun({ owner, id: parentId });
    // The calls of a program can start at the same time, because a run that only has variables has
    // no calls.
    if (parent?.kind === "edit") {
      await cacheVariables(context, parent);
      const outcome = await start(context, request, { ...options, early: parent });
      // The variables may have changed meanwhile.
      if (outcome.status === "started") return outcome;
    }
  }
  return context.registry.runInMailbox(parentId, () => start(context, request, options));
}

async function start(
  context: StartRunContext,
  request: RunRequest,
  {
    isDurable,
    key,
    also,
    onStore,
    early,
  }: StartOptions & {
    /** The parent, if the run may begin before it is stored. */
    readonly early?: RunRecord;
  },
): Promise<StartOutcome> {
  const { stores, registry, slots, limits } = context;
  if (registry.isStopping) return { status: "conflict", message: "The server is stopping." };
  const { principal: owner, parentId } = request;
  const store = stores.forNew({ isDurable });
  const parent =
    early ?? (parentId === null ? undefined : await store.getRun({ owner, id: parentId }));
  if (parent !== undefined && !isClosing(parent.status)) {
    return {
      status: "conflict",
      message: "The previous response has not ended. Wait for it, or cancel it first.",
    };
  }
  // Throws before anything is stored if the history is over the limit.
  if (parent !== undefined && !isProgramCall(request))
    await store.historyBytes({ owner, runId: parent.id, limit: limits.bytesOfOne });
  const adopts =
    parent !== undefined && (request.continuesParent || (parent.result?.waiting ?? []).length > 0);
  const taken =
    adopts && parent !== undefined
      ? { parent, inherited: await readInheritedTurn(store, parent, request) }
      : undefined;
  const id = newId("resp_");
  if (!isDurable) stores.placeInMemory(id);
  const hasSlot = slots.acquire(id, owner);
  try {
    return await registry.claimDuring(id, () =>
      storeAndBegin(context, {
        id,
        request,
        taken,
        hasSlot,
        key,
        also,
        onStore,
        parent: early,
      }),
    );
  } catch (thrown) {
    // The run is possibly stored, so it is deleted as if it had ended.
    if (!registry.isActive(id)) stores.stopped({ id, owner }, false);
    throw thrown;
  } finally {
    if (hasSlot && !registry.isActive(id)) slots.release(id);
  }
}

async function storeAndBegin(
  { stores, registry, dispatcher, clock }: StartRunContext,
  given: {
    readonly id: string;
    readonly request: RunRequest;
    /** The run whose unfinished turn it takes over, and that turn. */
    readonly taken: { readonly parent: RunRecord; readonly inherited: ChainState } | undefined;
    readonly hasSlot: boolean;
    readonly key: RequestKey | undefined;
    readonly also: readonly StoreWrite[] | undefined;
    readonly onStore: (() => void) | undefined;
    /** The run's parent, if the run may begin before it is stored. */
    readonly parent?: RunRecord | undefined;
  },
): Promise<StartOutcome> {
  const { id, request, taken, hasSlot, key, also = [], onStore, parent } = given;
  const store = stores.of(id);
  const status = hasSlot ? "in_progress" : "queued";
  const made = newRunWrites(id, request, taken?.inherited, status);
  const early =
    hasSlot && taken === undefined
      ? earlyRun(registry.warm, request, { parent, writes: made, at: clock.now() })
      : undefined;
  const { principal: owner } = request;
  const claim = { type: "claim-key", owner, resourceId: id } as const;
  const keys = [...(key === undefined ? [] : [key]), ...(request.sessionKeys ?? [])];
  const writes = [
    ...withConditions(made, {
      // Another run, also of another node, can have begun to continue the same waiting turn.
      ...(taken && isWaitingForApproval(taken.parent) && { takesOver: true }),
      // The run begins with its parent's variables before it is stored.
      ...(early && parent && { parentVersion: { epoch: parent.epoch, edits: parent.edits } }),
    }),
    ...also,
    ...keys.map((each) => ({ ...claim, key: each })),
  ];
  onStore?.();
  const writing = store.write(writes);
  const beginning = early && beginEarly(registry, { early, request, writing });
  const outcomes = await writing;
  await beginning;
  const run = newRunRecord(writes, outcomes);
  if (run === undefined) {
    stores.release([id]);
    const refused = outcomes.find((outcome) => outcome.status === "refused");
    const message =
      refused?.reason ?? "The conversation has newer messages from another client. Load it again.";
    return { status: "conflict", message };
  }
  if (!hasSlot) {
    dispatcher.offer(run);
    return { status: "started", run };
  }
  if (early !== undefined) return { status: "started", run };
  const { inputMessages } = request;
  const variablesOf = variablesOrigin(request, outcomes);
  await registry.begin(run, async () => ({
    inputMessages,
    // The first commit contains these messages.
    written: openingMessages(request, taken?.inherited),
    ...(taken && { resume: await resumeInheritedTurn(store, { ...taken, request }) }),
    ...(variablesOf && { variablesOf }),
  }));
  return { status: "started", run };
}

/** Begins a run whose first commit was submitted and has not been answered. */
async function beginEarly(
  registry: RunRegistry,
  {
    early: { run, variables },
    request,
    writing,
  }: {
    readonly early: EarlyRun;
    readonly request: RunRequest;
    readonly writing: Promise<readonly WriteOutcome[]>;
  },
): Promise<void> {
  const isStored = writing.then(
    (outcomes) => outcomes.every(isAccepted),
    () => false,
  );
  const { inputMessages } = request;
  const written = openingMessages(request, undefined);
  await registry.begin(run, async () => ({ inputMessages, written, variables, isStored }));
}

/** Adds conditions to the creation of a run: the store rejects the run if they are not met. */
function withConditions(
  writes: readonly StoreWrite[],
  conditions: Pick<NewRun, "parentVersion" | "takesOver">,
): readonly StoreWrite[] {
  return writes.map((write) =>
    write.type === "create-run" ? { ...write, run: { ...write.run, ...conditions } } : write,
  );
}

/**
 * The request that continues a run that failed or was stopped; `undefined` if there is nothing to
 * retry. It reads the same history as that run.
 */
export async function retryRequest(
  store: Store,
  run: RunRecord,
  model: string,
): Promise<RunRequest | undefined> {
  if (!isClosing(run.status) || run.status === "completed") return undefined;
  const { version: _version, restates, context, ...stored } = requestOf(run);
  return {
    ...stored,
    // With `own`, only this run reads the history that its request states, so the retry states it
    // again. The retry reads any other history from the run.
    ...(restates === "own" && { restates }),
    context: restates === "own" ? await store.readList(context) : [],
    principal: run.owner,
    model,
    inputMessages: [],
    inputItems: [],
    parentId: run.id,
    conversationId: run.conversationId,
    title: null,
    answers: [],
    outputs: [],
    continuesParent: true,
  };
}

/**
 * Returns the writes of a new run for one commit: its row, its initial state and its conversation's
 * new head. A crash therefore loses all of these writes or none.
 *
 * @param inherited the unfinished turn that it takes over
 * @param status `queued` if no slot is free
 */
export function newRunWrites(
  id: string,
  request: RunRequest,
  inherited: ChainState | undefined,
  status: "in_progress" | "queued" = "in_progress",
): readonly StoreWrite[] {
  const {
    principal: owner,
    model,
    parentId,
    conversationId,
    inputItems,
    inputMessages: _opening,
    variables: _ofOpening,
    title: _ofConversation,
    sessionId,
    sessionKeys: _claimed,
    conversationHead: _replaced,
    blobs,
    ...rest
  } = request;
  const stored: StoredRequest = { ...rest, version: 1, adopts: inherited !== undefined };
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
        ...(sessionId !== undefined && { sessionId }),
        ...(conversationId !== null && { conversationId }),
      },
    },
    ...(request.completion === undefined
      ? []
      : [
          {
            type: "create-completion",
            owner,
            runId: id,
            completion: request.completion,
          } as const,
        ]),
    ...conversationWrites(id, request),
    {
      type: "journal",
      runId: id,
      epoch: status === "queued" ? 0 : 1,
      writes: opening(request, inherited),
    },
  ];
}

/** Returns the run that these writes created, as stored, or `undefined` if they were rejected. */
export function newRunRecord(
  writes: readonly StoreWrite[],
  outcomes: readonly WriteOutcome[],
): RunRecord | undefined {
  const [made] = writes;
  const [outcome] = outcomes;
  if (made?.type !== "create-run" || outcome === undefined) return undefined;
  if (!("createdAt" in outcome && "sessionId" in outcome)) return undefined;
  if (!outcomes.every(isAccepted)) return undefined;
  const { sessionId, epoch, createdAt } = outcome;
  const { blobs: _stored, parentVersion: _read, takesOver: _asked, ...run } = made.run;
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

/** Returns the origin of a new run's variables, if it has none of its own. */
export function variablesOrigin(
  { parentId, variables = [] }: RunRequest,
  [made]: readonly WriteOutcome[],
): VariablesOrigin | undefined {
  if (variables.length > 0) return undefined;
  if (parentId === null) return "nothing";
  return made !== undefined && "parent" in made ? made.parent : undefined;
}

/** The messages in a new run's first commit, which its chain need not write again. */
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

/** Makes the new run the conversation's newest, and sets a missing title from its first message. */
function conversationWrites(
  runId: string,
  { principal: owner, conversationId: id, parentId, conversationHead, title }: RunRequest,
): readonly StoreWrite[] {
  if (id === null) return [];
  const from = conversationHead === undefined ? parentId : conversationHead;
  const moved: StoreWrite = { type: "move-head", owner, id, from, to: runId };
  if (title === null) return [moved];
  return [moved, { type: "update-conversation", owner, id, update: { title } }];
}
