import type { Message } from "@capstan/core";
import type { RunRecord } from "@capstan/store";
import { isFromModel, type ResolvedItem, type StatedOutput } from "./history-item.ts";
import { outputMessage } from "./item-messages.ts";
import { type LineageEntry, messageKey } from "./parent-history.ts";

/**
 * Returns the newest run of a lineage whose history a request repeats as a whole, or `undefined` if
 * the request states another history. The history that it states ends with its last item of a model.
 *
 * @param lineage a run and its ancestors, oldest first
 */
export function restatedRun(
  items: readonly ResolvedItem[],
  lineage: readonly LineageEntry[],
): RunRecord | undefined {
  const end = items.findLastIndex(isFromModel) + 1;
  const stated = items.slice(0, end);
  if (items.slice(end).some(({ type }) => type !== "message" && type !== "hidden"))
    return undefined;
  const texts = textsOf(stated.flatMap((item) => (item.type === "message" ? [item.message] : [])));
  const runIds = new Set<string>();
  const known: Message[] = [];
  let found: RunRecord | undefined;
  for (const { run, messages } of lineage) {
    runIds.add(run.id);
    known.push(...messages);
    const own = textsOf(known);
    if (own.length > texts.length) break;
    const isSame = own.length === texts.length && own.every((text, at) => text === texts[at]);
    if (isSame && repeatsCalls(stated, known, runIds)) found = run;
  }
  return found;
}

const assistantKey = "assistant ";

/**
 * Returns the texts of a history in order. Texts of a model between two other messages are one text
 * without spaces, because APIs divide them in different ways.
 */
function textsOf(messages: readonly Message[]): readonly string[] {
  const texts: string[] = [];
  let answer: string | undefined;
  const endAnswer = (): void => {
    if (answer !== undefined) texts.push(assistantKey + answer);
    answer = undefined;
  };
  for (const message of messages) {
    if (message.role === "tool") continue;
    if (message.role === "assistant") {
      const text = messageKey(message).slice(assistantKey.length).replaceAll(/\s+/g, "");
      if (text !== "") answer = (answer ?? "") + text;
      continue;
    }
    endAnswer();
    texts.push(messageKey(message));
  }
  endAnswer();
  return texts;
}

/** Whether the stated calls and outputs are those of the history. The history may have more. */
function repeatsCalls(
  stated: readonly ResolvedItem[],
  known: readonly Message[],
  runIds: ReadonlySet<string>,
): boolean {
  const calls = new Set<string>();
  const outputs = new Map<string, Set<string>>();
  for (const message of known) {
    if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) calls.add(id);
    if (message.role !== "tool") continue;
    const texts = outputs.get(message.tool_call_id) ?? new Set();
    outputs.set(message.tool_call_id, texts.add(messageKey(message)));
  }
  return stated.every((item) => {
    if (item.runId !== undefined && runIds.has(item.runId)) return true;
    switch (item.type) {
      case "call":
        return calls.has(item.call.id);
      case "output":
        return outputs.get(item.output.callId)?.has(outputText(item.output)) === true;
      case "server_call":
      case "approval_request":
        return false;
      case "message":
      case "reasoning":
      case "approval_response":
      case "hidden":
        return true;
    }
  });
}

function outputText(output: StatedOutput): string {
  return messageKey(outputMessage("", output));
}
