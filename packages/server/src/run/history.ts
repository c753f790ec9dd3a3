import { type Message, turnMessages } from "@capstan/core";
import type { RunWithMessages } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import type { StoredRunRequest } from "./run-request.ts";

/**
 * What a model is shown of the runs before: what the client brought along, then each turn's input, the log of what its tools did as
 * a developer message, and the answer. A turn in which the client ran tools is shown in full,
 * since the client's own record is. A run that another took over is part of that one.
 */
export async function readHistory(
  store: Store,
  options: { readonly owner: string; readonly parentId: string | null; readonly adopts: boolean },
): Promise<readonly Message[]> {
  const { owner, parentId, adopts } = options;
  if (parentId === null) return [];
  const ancestors = (await store.ancestors({ owner, runId: parentId })) ?? [];
  const messages: Message[] = [];
  for (const [index, ancestor] of ancestors.entries()) {
    const next = ancestors[index + 1];
    messages.push(...requestOf(ancestor).context);
    const taken = next === undefined ? adopts : requestOf(next).adopts;
    if (taken || ancestor.run.kind === "edit") continue;
    messages.push(...(await turnOf(store, owner, ancestor)));
  }
  return messages;
}

/** What is kept of a run's request; a run that only holds variables has none. */
function requestOf({ run }: RunWithMessages): Pick<StoredRunRequest, "adopts" | "context"> {
  return { adopts: false, context: [], ...(run.request as Partial<StoredRunRequest>) };
}

async function turnOf(
  store: Store,
  owner: string,
  { run, messages }: RunWithMessages,
): Promise<readonly Message[]> {
  const calls = ((await store.readCalls({ owner, runId: run.id })) ?? []).map(({ call }) => call);
  if (calls.some((call) => call.owner === "client")) return turnMessages(messages, calls);
  const turn: Message[] = messages.filter(({ role }) => role !== "assistant" && role !== "tool");
  const { log, answer } = run.result ?? { log: { replay: "" }, answer: "" };
  if (log.replay !== "") turn.push({ role: "developer", content: log.replay });
  const words = answer !== "" ? answer : unfinished(run.status);
  if (words !== "") turn.push({ role: "assistant", content: words });
  return turn;
}

/** A turn without an answer still needs one in most providers' forms. */
function unfinished(status: string): string {
  return status === "completed" ? "" : "(This answer was not finished.)";
}
