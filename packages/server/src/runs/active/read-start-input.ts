import type { ChainState, Message } from "@capstan/core";
import type { RunRecord, Store } from "@capstan/store";
import { resumeInheritedTurn, readInheritedTurn } from "./inherited-turn.ts";
import type { LaunchInput } from "./active-runs.ts";
import type { StoredRunRequest } from "../request/run-request.ts";

/** What a run starts with. */
export interface StartInput {
  readonly request: Pick<StoredRunRequest, "answers" | "outputs">;
  /** The run whose unfinished turn it takes over, and that turn. */
  readonly taken?: { readonly parent: RunRecord; readonly inherited: ChainState };
  /** Its own messages, without those of the turn that it takes over. */
  readonly inputMessages: readonly Message[];
}

/** Returns how to launch a chain whose first messages are in the journal already. */
export async function launchInputOf(store: Store, start: StartInput): Promise<LaunchInput> {
  const { request, taken, inputMessages } = start;
  const written = [...(taken?.inherited.messages ?? []), ...inputMessages];
  if (taken === undefined) return { inputMessages, written };
  return {
    inputMessages,
    written,
    resume: await resumeInheritedTurn(store, { ...taken, request }),
  };
}

/** Reads the start input of a run whose process crashed before the run's first event. */
export async function readStartInput(store: Store, run: RunRecord): Promise<StartInput> {
  const { owner, id, parentId } = run;
  const request = run.request as unknown as StoredRunRequest;
  const messages = (await store.readMessages({ owner, runId: id })) ?? [];
  if (!request.adopts || parentId === null) return { request, inputMessages: messages };
  const parent = await store.getRun({ owner, id: parentId });
  if (parent === undefined) throw new Error("the run whose turn it takes over is gone");
  const inherited = await readInheritedTurn(store, parent, request);
  const inputMessages = messages.slice(inherited.messages.length);
  return { request, taken: { parent, inherited }, inputMessages };
}
