import { type HistoryMode, historyMessages, type Message, type StoredTurn } from "@capstan/core";
import type { RunWithMessages, Store } from "@capstan/store";
import type { StoredRunRequest } from "../request/run-request.ts";

export interface HistoryOptions {
  readonly owner: string;
  readonly parentId: string | null;
  /** The next run carries the parent's turn on: it is no history yet. */
  readonly adopts: boolean;
  readonly history: HistoryMode;
}

/**
 * What a model is shown of the runs before: what the client brought along, as it is, and each
 * turn as `history` says. A run that another took over is part of that one.
 */
export async function readHistory(
  store: Store,
  { owner, parentId, adopts, history }: HistoryOptions,
): Promise<readonly Message[]> {
  if (parentId === null) return [];
  const ancestors = (await store.ancestors({ owner, runId: parentId })) ?? [];
  const turns: StoredTurn[] = [];
  let before: readonly Message[] = [];
  for (const [index, ancestor] of ancestors.entries()) {
    const next = ancestors[index + 1];
    before = [...before, ...(await store.readList(requestOf(ancestor).context))];
    const taken = next === undefined ? adopts : requestOf(next).adopts;
    if (taken || ancestor.run.kind === "edit") continue;
    turns.push({ before, ...(await turnOf(store, owner, ancestor)) });
    before = [];
  }
  return [...historyMessages(turns, history), ...before];
}

/** What is kept of a run's request; a run that only holds variables has none. */
function requestOf({ run }: RunWithMessages): Pick<StoredRunRequest, "adopts" | "context"> {
  return { adopts: false, context: [], ...(run.request as Partial<StoredRunRequest>) };
}

async function turnOf(
  store: Store,
  owner: string,
  { run, messages }: RunWithMessages,
): Promise<StoredTurn> {
  const calls = ((await store.readCalls({ owner, runId: run.id })) ?? []).map(({ call }) => call);
  // What a person found out of a call since then is told anew.
  const log = calls.some(({ found }) => found !== undefined) ? undefined : run.result?.log;
  return { messages, calls, ...(log !== undefined && { log }) };
}
