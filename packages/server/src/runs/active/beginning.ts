import type { ChainState, Message } from "@capstan/core";
import type { RunRecord, Store } from "@capstan/store";
import { adoption, inheritedTurn } from "./adoption.ts";
import type { LaunchInput } from "./active-runs.ts";
import type { StoredRunRequest } from "../request/run-request.ts";

/** A run that has not begun yet. */
export interface Beginning {
  readonly request: Pick<StoredRunRequest, "answers" | "outputs">;
  /** The run whose unfinished turn it takes over, and that turn. */
  readonly taken?: { readonly parent: RunRecord; readonly inherited: ChainState };
  /** Its own, after those that it took over. */
  readonly inputMessages: readonly Message[];
}

/** How a chain is begun whose opening is in the journal already. */
export async function beginWith(store: Store, beginning: Beginning): Promise<LaunchInput> {
  const { request, taken, inputMessages } = beginning;
  const written = [...(taken?.inherited.messages ?? []), ...inputMessages];
  if (taken === undefined) return { inputMessages, written };
  return { inputMessages, written, resume: await adoption(store, { ...taken, request }) };
}

/** Reads the beginning of a run whose process died before the first thing happened in it. */
export async function readBeginning(store: Store, run: RunRecord): Promise<Beginning> {
  const { owner, id, parentId } = run;
  const request = run.request as unknown as StoredRunRequest;
  const messages = (await store.readMessages({ owner, runId: id })) ?? [];
  if (!request.adopts || parentId === null) return { request, inputMessages: messages };
  const parent = await store.getRun({ owner, id: parentId });
  if (parent === undefined) throw new Error("the run whose turn it takes over is gone");
  const inherited = await inheritedTurn(store, parent, request);
  const inputMessages = messages.slice(inherited.messages.length);
  return { request, taken: { parent, inherited }, inputMessages };
}
