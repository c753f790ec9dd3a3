import { type Variable, type VariableChange, VariableSystem } from "@capstan/core";
import { newId, type VariableSource, type VariableValue } from "@capstan/core/host";
import {
  type ConversationRecord,
  isAccepted,
  type Manifest,
  type RunRecord,
  type Store,
} from "@capstan/store";
import type { VariablesOrigin } from "../request/new-run.ts";
import type { CreateExecutor } from "./launch.ts";
import type { WarmRuns } from "./warm-runs.ts";

/** Where the variables of runs are found. */
export interface VariableStores {
  readonly store: Store;
  readonly warm: WarmRuns;
}

/**
 * Returns the variables with which a claimed run starts or resumes.
 *
 * @param given.own its own, if this process still has them
 * @param given.origin for a new run only; others have variables of their own
 */
export async function restoreVariables(
  { store, warm }: VariableStores,
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
  variables.source = evictedVariableSource(store, owner, id);
  return variables;
}

/** Reads the variables of a run at rest, with the rules that each session has. */
export async function variablesAtRest(
  { store, warm }: VariableStores,
  run: RunRecord,
  createExecutor: CreateExecutor,
): Promise<VariableSystem> {
  const variables = warm.forkVariables(run) ?? (await readVariables(store, run.owner, run.id));
  createExecutor({ variables });
  return variables;
}

/**
 * Edits the variables of a conversation's newest run. They are stored when it resolves; if `edit`
 * throws, nothing changes. Returns false if the conversation has a newer run.
 */
export async function editVariables(
  store: Store,
  conversation: Pick<ConversationRecord, "owner" | "id"> & { readonly headRunId: string },
  variables: VariableSystem,
  edit: (draft: VariableSystem) => void,
): Promise<boolean> {
  const { owner, id, headRunId: runId } = conversation;
  const changes: VariableChange[] = [];
  const stop = variables.subscribe((change) => changes.push(change));
  try {
    edit(variables);
  } finally {
    stop();
  }
  const outcomes = await store.write([
    { type: "edit-variables", owner, runId, changes },
    // Not moved: only if it is still the newest, or its successor would not have the change.
    { type: "move-head", owner, id, from: runId, to: runId },
  ]);
  return outcomes.every(isAccepted);
}

/** Returns the run that holds a conversation's variables. Creates one for that if the conversation has no run. */
export async function variablesHolder(
  store: Store,
  { owner, id, headRunId }: ConversationRecord,
): Promise<string> {
  if (headRunId !== null) return headRunId;
  const runId = newId("resp_");
  const edit = { kind: "edit", status: "completed", model: "", request: {}, input: [] } as const;
  const outcomes = await store.write([
    { type: "create-run", run: { ...edit, id: runId, owner, conversationId: id } },
    { type: "move-head", owner, id, from: null, to: runId },
  ]);
  if (outcomes.every(isAccepted)) return runId;
  const now = await store.getConversation({ owner, id });
  if (now?.headRunId == null) throw new Error(`The variables of ${id} could not be changed.`);
  return now.headRunId;
}

/** The variables of a run as they are now, with their values; those that are gone are known to be. */
async function readVariables(store: Store, owner: string, runId: string): Promise<VariableSystem> {
  const read = await store.readVariables({ owner, runId });
  const entries = Object.entries(read?.manifest ?? {});
  const there = entries.filter(([, { evicted, removed }]) => evicted !== true && removed !== true);
  const found = await Promise.all(
    there.map(async (entry) => {
      const { value = read?.values[entry[1].digest ?? ""] } = entry[1];
      return value === undefined ? readVariable(store, owner, entry) : variableOf(entry, value);
    }),
  );
  const present = found.filter((variable) => variable !== undefined);
  const variables = new VariableSystem();
  const gone = entries.flatMap(([name, { evicted, removed }]) => {
    const reason = removed === true ? "removed" : evicted === true ? "evicted" : undefined;
    return reason === undefined ? [] : [{ name, reason } as const];
  });
  variables.load(
    present.sort((a, b) => a.lastVisited - b.lastVisited),
    { gone },
  );
  return variables;
}

/** Where a run finds what was evicted from its memory. */
function evictedVariableSource(store: Store, owner: string, runId: string): VariableSource {
  return async (name) => {
    const entries = Object.entries((await store.readManifest({ owner, runId })) ?? {});
    const entry = entries.find(([known]) => known === name);
    return entry === undefined ? undefined : readVariable(store, owner, entry);
  };
}

async function readVariable(
  store: Store,
  owner: string,
  entry: [string, Manifest[string]],
): Promise<Variable | undefined> {
  const { removed, digest = "" } = entry[1];
  if (removed === true) return undefined;
  const value = entry[1].value ?? (await store.readValue({ owner, digest }));
  return value === undefined ? undefined : variableOf(entry, value);
}

function variableOf([name, entry]: [string, Manifest[string]], value: VariableValue): Variable {
  const { digest: _digest, evicted: _evicted, ...info } = entry;
  return { ...info, name, value };
}
