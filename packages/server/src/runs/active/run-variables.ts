import {
  CapstanError,
  type LoadedVariable,
  type VariableChange,
  VariableSystem,
} from "@capstan/core";
import { type GoneVariable, newId, readBack, type VariableSource } from "@capstan/core/host";
import {
  type ConversationRecord,
  isAccepted,
  type RunRecord,
  type RunVersion,
  type Store,
} from "@capstan/store";
import type { CreateExecutor } from "./launch.ts";
import type { RunRegistry } from "./run-registry.ts";
import type { RunStores } from "./run-stores.ts";
import type { WarmRuns } from "./warm-runs.ts";

/** The origin of a new run's variables: the run that it continues, in this version. */
export type VariablesOrigin = RunVersion | "nothing";

/**
 * Returns the variables with which a claimed run starts or resumes.
 *
 * @param given.own its own variables, if this process has cached them
 * @param given.origin only for a new run, which has no variables yet
 */
export async function restoreVariables(
  { store, warm }: { readonly store: Store; readonly warm: WarmRuns },
  { id, owner }: Pick<RunRecord, "id" | "owner">,
  given: { readonly own?: VariableSystem; readonly origin?: VariablesOrigin | undefined },
): Promise<VariableSystem> {
  const { origin } = given;
  const known =
    origin === undefined
      ? given.own
      : origin === "nothing"
        ? new VariableSystem()
        : warm.forkVariables(origin);
  const variables = known ?? (await readVariables(store, owner, id));
  variables.source = variableSource(store, owner, id);
  return variables;
}

/** The options of `editVariables`. */
export interface EditOptions {
  /** The names of variables whose values are read before the edit. @default none */
  readonly needs?: readonly string[] | undefined;
}

export interface VariablesContext {
  readonly stores: RunStores;
  readonly registry: RunRegistry;
  readonly createExecutor: CreateExecutor;
}

/**
 * Returns the current variables of a run: from memory if it is active, otherwise from the store.
 */
export async function variablesOfRun(
  context: VariablesContext,
  { owner, id }: Pick<RunRecord, "owner" | "id">,
): Promise<VariableSystem> {
  const live = context.registry.get(id)?.session?.variables;
  if (live !== undefined) return live;
  const run = await context.stores.of(id).getRun({ owner, id });
  return run === undefined ? new VariableSystem() : readInactiveVariables(context, run);
}

/** Reads the variables of an inactive run from the store, with the rules of its session. */
async function readInactiveVariables(
  { stores, registry, createExecutor }: VariablesContext,
  run: RunRecord,
): Promise<VariableSystem> {
  const { id, owner } = run;
  const store = stores.of(id);
  const variables = registry.warm.forkVariables(run) ?? (await readVariables(store, owner, id));
  variables.source = variableSource(store, owner, id);
  createExecutor({ variables });
  return variables;
}

/** Caches the variables of a run that only has variables, for the runs that start with them. */
export async function cacheVariables(
  { stores, registry: { warm } }: Pick<VariablesContext, "stores" | "registry">,
  run: RunRecord,
): Promise<void> {
  if (warm.has(run)) return;
  warm.edit(run, await readVariables(stores.of(run.id), run.owner, run.id));
}

/**
 * Edits a conversation's variables from outside, in memory if its newest run is active. They are stored
 * when it resolves; if `edit` throws, nothing changes. Returns `undefined` if the conversation no
 * longer exists.
 */
export async function editVariables(
  context: VariablesContext,
  conversation: ConversationRecord,
  edit: (draft: VariableSystem) => void,
  options: EditOptions = {},
): Promise<VariableSystem | undefined> {
  const store = context.stores.durable;
  for (let now: ConversationRecord | undefined = conversation; now !== undefined;) {
    const runId = now.headRunId ?? (await createHolder(store, now));
    const edited =
      runId === undefined
        ? undefined
        : await context.registry.runInMailbox(runId, () =>
            editInMailbox(context, conversation, runId, { edit, ...options }),
          );
    if (edited !== undefined) return edited;
    now = await store.getConversation(conversation);
  }
  return undefined;
}

/**
 * Edits the variables as a command of the run. Returns `undefined` if the conversation has a newer
 * run.
 */
async function editInMailbox(
  context: VariablesContext,
  { owner, id }: ConversationRecord,
  runId: string,
  { edit, needs = [] }: EditOptions & { readonly edit: (draft: VariableSystem) => void },
): Promise<VariableSystem | undefined> {
  const { stores, registry } = context;
  const live = registry.get(runId)?.session?.variables;
  const run = live === undefined ? await stores.durable.getRun({ owner, id: runId }) : undefined;
  const variables = live ?? (run && (await readInactiveVariables(context, run)));
  if (variables === undefined) return undefined;
  for (const name of needs) await readBack(variables, name);
  const changes: VariableChange[] = [];
  const stop = variables.subscribe((change) => changes.push(change));
  try {
    edit(variables);
  } finally {
    stop();
  }
  const outcomes = await stores.durable.write([
    { type: "edit-variables", owner, runId, changes },
    // The write does not move the head. It fails if the run is no longer the newest, because its
    // successor would lack the change.
    { type: "move-head", owner, id, from: runId, to: runId },
  ]);
  if (!outcomes.every(isAccepted)) return undefined;
  // Another node or a claim in progress can also change the variables of a run in progress.
  if (run !== undefined && run.status !== "in_progress")
    registry.warm.edit({ ...run, edits: run.edits + 1 }, variables);
  else registry.warm.evict([runId]);
  return variables;
}

/**
 * Creates the run that holds the variables of a conversation without runs. Returns `undefined` if
 * the conversation was deleted or has a run by now.
 */
async function createHolder(
  store: Store,
  { owner, id }: ConversationRecord,
): Promise<string | undefined> {
  const runId = newId("resp_");
  const edit = { kind: "edit", status: "completed", model: "", request: {}, input: [] } as const;
  const outcomes = await store.write([
    { type: "create-run", run: { ...edit, id: runId, owner, conversationId: id } },
    { type: "move-head", owner, id, from: null, to: runId },
  ]);
  return outcomes.every(isAccepted) ? runId : undefined;
}

/**
 * Reads the current variables of a run, with small values. Other values are read when they are
 * needed. Removed variables are marked as removed.
 */
async function readVariables(store: Store, owner: string, runId: string): Promise<VariableSystem> {
  const read = await store.readVariables({ owner, runId });
  const entries = Object.entries(read?.manifest ?? {});
  const corrupt = new Set(read?.corrupt);
  const found: LoadedVariable[] = [];
  const gone: GoneVariable[] = [];
  for (const [name, entry] of entries) {
    const { digest = "", value = read?.values[digest], evicted, removed, ...info } = entry;
    if (removed === true) gone.push({ name, reason: "removed" });
    else if (evicted === true) gone.push({ name, reason: "evicted" });
    else if (corrupt.has(digest)) gone.push({ name, reason: "corrupt" });
    else found.push({ ...info, name, ...(value !== undefined && { value }) });
  }
  const variables = new VariableSystem();
  variables.load(
    found.toSorted((a, b) => a.lastVisited - b.lastVisited),
    { gone },
  );
  return variables;
}

/** Returns a source that reads values of a run's variables from the store. */
function variableSource(store: Store, owner: string, runId: string): VariableSource {
  return async (name) => {
    const entries = Object.entries((await store.readManifest({ owner, runId })) ?? {});
    const [, entry] = entries.find(([known]) => known === name) ?? [];
    if (entry === undefined || entry.removed === true) return undefined;
    const { digest = "", evicted: _evicted, ...info } = entry;
    try {
      const value = entry.value ?? (await store.readValue({ owner, digest }));
      return value && { ...info, name, value };
    } catch (thrown) {
      if (CapstanError.isInstance(thrown) && thrown.code === "database_corrupt") return "corrupt";
      throw thrown;
    }
  };
}
