import type { Clock, JsonObject } from "@capstan/core";
import { errorMessage, LruCache, readAllValues } from "@capstan/core/host";
import {
  isClosing,
  requestOf,
  type RequestKey,
  type RunRecord,
  type Store,
  type StoreWrite,
} from "@capstan/store";
import { toolContextOf } from "../../http/tools/request-data.ts";
import { oneCallModelId } from "../../runs/active/run-models.ts";
import type { RunRequest } from "../../runs/request/run-request.ts";
import type { RunService } from "../../runs/run-service.ts";
import { callKey, maxEqualCalls, readMs, rememberedMs } from "./call-key.ts";
import type { CallVariables, ProgramConversations } from "./program-conversation.ts";
import { unstoredMs } from "./unstored-variables.ts";

/** A call that another program makes over MCP. */
export interface ProgramCall {
  readonly owner: string;
  /** The tool's id, `group.Tool`. */
  readonly toolId: string;
  readonly args: JsonObject;
  /** Whether the tool only reads, so that it may run again. */
  readonly readOnly: boolean;
  /** The headers of the request that the tool gets. */
  readonly headers?: { readonly [name: string]: string };
  /**
   * Aborts when the client closes the request. The request stops following once the call is stored.
   */
  readonly disconnected?: AbortSignal;
}

/** The part of a run's request that this API stores for itself. */
export interface CallWire {
  /** The key that a repeat of the call finds. */
  readonly key: string;
  readonly readOnly: boolean;
}

/** The run of a call, for the request that follows it. */
export interface HeldCall {
  readonly run: RunRecord;
  /** Whether an earlier request started the run. */
  readonly isRepeat: boolean;
  /** Called when the request no longer follows the call: a repeat then gets this run. */
  readonly release: () => void;
}

/** Starts and finds the runs of MCP calls. */
export type ProgramCalls = ReturnType<typeof createProgramCalls>;

export interface ProgramCallsOptions {
  readonly runs: RunService;
  readonly conversations: ProgramConversations;
  /** How long a pending approval waits for a repeat after its client cancelled the call, in ms. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Creates the calls of a server. Clients repeat a call that they gave up. So a request can get the
 * result of an earlier, equal call of its principal: one that is open, or whose result was not
 * delivered. Equal calls have the same tool and arguments. While a request follows a call, an equal
 * request starts another call.
 */
export function createProgramCalls(options: ProgramCallsOptions) {
  const { runs, conversations, graceMs, clock, log } = options;
  /** The store of a principal's calls and their keys. */
  const storeOf = (owner: string) =>
    runs.stores.forNew({ isDurable: conversations.isStored(owner) });
  /** The requests of this process that follow a call, by the key of the call. */
  const held = new Map<string, Holder>();
  const timers = new Map<string, () => void>();
  /**
   * The runs whose results were delivered. Until their keys are removed, this cache makes equal
   * calls new ones.
   */
  const delivered = new LruCache<string, true>(10_000);
  /** The keys to remove in the next write, and the function that cancels its timer. */
  let removals: { readonly store: Store; readonly write: StoreWrite }[] = [];
  let stopTimer: (() => void) | undefined;

  /** Starts a call, or finds the call that the request repeats. */
  async function start(call: ProgramCall): Promise<HeldCall> {
    const { owner } = call;
    let mayWait = !call.readOnly;
    for (let number = 0; number < maxEqualCalls; number++) {
      const { id, digest } = callKey(call, number);
      const name = `${owner} ${id}`;
      const holder = held.get(name);
      if (holder !== undefined && mayWait) {
        mayWait = false;
        await endOrPause(holder, clock);
      }
      const ttlMs = conversations.isStored(owner) ? rememberedMs : unstoredMs;
      const key = { id, digest, ttlMs };
      if (held.has(name)) {
        if (call.disconnected?.aborted !== true) continue;
        // This client has disconnected. The open request is its repeat, which was handled first.
        return { ...(await startOrFind(call, key)), release: () => {} };
      }
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      held.set(name, { ended, disconnected: call.disconnected });
      const release = () => {
        held.delete(name);
        end();
      };
      try {
        const found = await startOrFind(call, key);
        timers.get(found.run.id)?.();
        return { ...found, release };
      } catch (thrown) {
        release();
        throw thrown;
      }
    }
    throw new Error("too many equal calls");
  }

  async function startOrFind(
    call: ProgramCall,
    key: RequestKey,
  ): Promise<Pick<HeldCall, "run" | "isRepeat">> {
    const store = storeOf(call.owner);
    for (let tries = 0; tries < 10; tries++) {
      const known = await store.getRequestKey({ owner: call.owner, id: key.id });
      const runId = known?.resourceId ?? undefined;
      const before =
        runId === undefined ? undefined : await store.getRun({ owner: call.owner, id: runId });
      if (before !== undefined && (await isGiven(before, call)))
        return { run: before, isRepeat: true };
      const run = await create(call, { ...key, ...(runId !== undefined && { replaces: runId }) });
      if (run !== undefined) return { run, isRepeat: false };
    }
    throw new Error("the call could not be stored");
  }

  /** Returns whether a repeat of a call gets the run of the first one. */
  async function isGiven(run: RunRecord, { owner, readOnly }: ProgramCall): Promise<boolean> {
    if (delivered.get(run.id) === true) return false;
    if (!isClosing(run.status)) return true;
    if (readOnly) return run.status === "completed" && clock.now() - (run.endedAt ?? 0) < readMs;
    // A call that was stopped before it started had no effect.
    const calls = (await storeOf(owner).readCalls({ owner, runId: run.id })) ?? [];
    return calls.some(({ call }) => call.startedAt !== undefined) || run.status === "completed";
  }

  async function create(call: ProgramCall, key: RequestKey): Promise<RunRecord | undefined> {
    const { owner } = call;
    const given = await conversations.begin(owner);
    const request = requestFor(call, { ...given, key });
    const isDurable = conversations.isStored(owner);
    const onStore = () => void removeKeys();
    const outcome = await runs.start(request, { key, isDurable, onStore });
    if (outcome.status === "started") return outcome.run;
    // Another node may have taken the key, or a user may be using the conversation.
    const taken = await storeOf(owner).getRequestKey({ owner, id: key.id });
    if (!isDurable || (taken !== undefined && taken.resourceId !== key.replaces)) return undefined;
    const conversation = await conversations.open(owner);
    const current = await runs.variablesOf(conversation);
    await readAllValues(current);
    const variables = current.snapshot();
    const apart = await runs.start({ ...request, parentId: null, variables }, { key });
    return apart.status === "started" ? apart.run : undefined;
  }

  /** Stops a call that its client cancelled. A pending approval stays open for a while. */
  async function cancel({ owner, id }: Pick<RunRecord, "owner" | "id">): Promise<void> {
    const run = await storeOf(owner).getRun({ owner, id });
    if (run === undefined || isClosing(run.status)) return;
    if (run.status !== "requires_action") return runs.cancel(run);
    const stop = clock.after(graceMs, () => {
      timers.delete(id);
      cancelIfPending(run).catch((thrown: unknown) =>
        log(`Run ${id} could not be stopped: ${errorMessage(thrown)}`),
      );
    });
    timers.get(id)?.();
    timers.set(id, () => {
      timers.delete(id);
      stop();
    });
  }

  /** Removes the keys of delivered calls. */
  async function removeKeys(): Promise<void> {
    stopTimer?.();
    stopTimer = undefined;
    const all = removals;
    removals = [];
    // Separate writes of one commit: the key of an equal call that has started stays.
    const removed = await Promise.allSettled(all.map(({ store, write }) => store.write([write])));
    const failed = removed.find(({ status }) => status === "rejected");
    if (failed?.status === "rejected")
      log(`Keys of delivered calls could not be removed: ${errorMessage(failed.reason)}`);
  }

  async function forget(run: RunRecord): Promise<void> {
    await runs.delete(run).catch((thrown: unknown) => log(errorMessage(thrown)));
  }

  async function cancelIfPending({ owner, id }: Pick<RunRecord, "owner" | "id">): Promise<void> {
    const run = await storeOf(owner).getRun({ owner, id });
    if (run?.status === "requires_action") await runs.cancel(run);
  }

  return {
    start,
    cancel,

    /** Returns a principal's call by the id of its run, or `undefined` if the run is not one. */
    async find(owner: string, id: string): Promise<RunRecord | undefined> {
      const run = await runs.stores.of(id).getRun({ owner, id });
      if (run?.kind !== "turn") return undefined;
      if (requestOf(run).api !== "mcp") return undefined;
      timers.get(id)?.();
      return run;
    },

    /**
     * Removes the key of a call whose result was delivered, so that an equal call is a new one. A run
     * that is not stored is deleted soon.
     *
     * @param options.isLinked whether the result has a link to its full value
     */
    delivered(run: RunRecord, { isLinked = false }: { readonly isLinked?: boolean } = {}): void {
      delivered.set(run.id, true);
      const store = storeOf(run.owner);
      if (!conversations.isStored(run.owner))
        clock.after(isLinked ? unstoredMs : unstoredAfterMs, () => void forget(run));
      const { key: id } = requestOf(run).wire as unknown as CallWire;
      const key = { id, digest: "", ttlMs: 0, replaces: run.id };
      const write = { type: "claim-key", owner: run.owner, resourceId: run.id, key } as const;
      removals.push({ store, write });
      // The keys of several calls are removed together, because the next call would wait for each
      // commit.
      stopTimer ??= clock.after(removalMs, () => void removeKeys());
    },

    close(): void {
      for (const stop of timers.values()) stop();
    },
  };
}

/**
 * How long the keys of delivered calls wait for the commit of the next call, in ms. Without a next
 * call they are removed in a commit of their own.
 */
const removalMs = 25;

/** How long a delivered run that is not stored stays for its other readers, in ms. */
const unstoredAfterMs = 1_000;

/** A request that follows a call. */
interface Holder {
  /** Resolves when the request has ended. */
  readonly ended: Promise<void>;
  readonly disconnected: AbortSignal | undefined;
}

/** How long an equal request waits for the end of the previous one, in ms. */
const noticeMs = 300;

/**
 * Waits for the end of a request whose client may have disconnected. A client that gives up a
 * request can repeat it early: before the first call is stored, and before this process notices
 * that the first connection is closed.
 */
async function endOrPause({ ended, disconnected }: Holder, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = clock.after(noticeMs, resolve);
  await Promise.race([ended, promise]);
  stop();
  // After a long task the timer is due before the closed connection is read.
  for (let turn = 0; turn < 2; turn++) await new Promise((next) => setImmediate(next));
  if (disconnected?.aborted === true) await ended;
}

function requestFor(
  { owner, toolId, args, readOnly, headers }: ProgramCall,
  given: CallVariables & { readonly key: RequestKey },
): RunRequest {
  const text = JSON.stringify(args);
  const shownCall = `${toolId} ${text}`;
  const wire: CallWire = { key: given.key.id, readOnly };
  const group = toolId.slice(0, toolId.indexOf("."));
  return {
    principal: owner,
    model: oneCallModelId,
    instructions: null,
    context: [],
    // The conversation's other turns are not part of this call.
    restates: "all",
    inputMessages: [{ role: "user", content: shownCall }],
    inputItems: [{ type: "message", role: "user", content: shownCall }],
    parentId: given.parentId,
    ...(given.variables && { variables: given.variables }),
    conversationId: null,
    title: null,
    servers: [{ label: group, group }],
    clientTools: [],
    settings: {},
    maxToolCalls: 1,
    maxRounds: null,
    approvals: "inline",
    toolOutputs: "inline",
    history: "log",
    answers: [],
    outputs: [],
    continuesParent: false,
    toolContext: toolContextOf({ headers }),
    api: "mcp",
    wire: { ...wire },
    call: { toolId, arguments: text, ofProgram: { firstResult: given.firstResult } },
  };
}
