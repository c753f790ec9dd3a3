import { setImmediate as nextTurn } from "node:timers/promises";
import type { Message } from "@capstan/core";
import type { RunRecord } from "@capstan/store";
import { isFromModel, type ResolvedItem, type StatedOutput } from "./history-item.ts";
import { outputMessage } from "./item-messages.ts";
import { type LineageEntry, messageKey } from "./parent-history.ts";

/**
 * Returns the newest run of a lineage whose history a request repeats as a whole, or `undefined` if
 * the request states another history. The history that it states ends with its last item of a model.
 * Reads each message once, in several turns of the event loop.
 *
 * @param lineage a run and its ancestors, oldest first
 */
export async function restatedRun(
  items: readonly ResolvedItem[],
  lineage: readonly LineageEntry[],
): Promise<RunRecord | undefined> {
  const end = items.findLastIndex(isFromModel) + 1;
  const stated = items.slice(0, end);
  if (items.slice(end).some(({ type }) => type !== "message" && type !== "hidden"))
    return undefined;
  const texts = await readTexts(stated);
  const runIds = new Set<string>();
  const calls = createKnownCalls();
  const own = createTexts();
  let compared = 0;
  let added = 0;
  let found: RunRecord | undefined;
  for (const { run, messages } of lineage) {
    runIds.add(run.id);
    for (const message of messages) {
      if (++added % sliceMessages === 0) await nextTurn();
      calls.add(message);
      own.add(message);
    }
    for (; compared < own.complete.length; compared++)
      if (own.complete[compared] !== texts[compared]) return found;
    const open = own.open();
    const isWhole = compared + (open === undefined ? 0 : 1) === texts.length;
    if (isWhole && open === texts[compared] && calls.areRepeatedBy(stated, runIds)) found = run;
  }
  return found;
}

/** Number of messages that are compared in one turn of the event loop. */
const sliceMessages = 200;

async function readTexts(stated: readonly ResolvedItem[]): Promise<readonly string[]> {
  const texts = createTexts();
  for (const [index, item] of stated.entries()) {
    if (index % sliceMessages === sliceMessages - 1) await nextTurn();
    if (item.type === "message") texts.add(item.message);
  }
  const open = texts.open();
  return open === undefined ? texts.complete : [...texts.complete, open];
}

const assistantKey = "assistant ";

/**
 * Collects the texts of a history in order. Texts of a model between two other messages are one text
 * without spaces, because APIs divide them in different ways.
 */
function createTexts() {
  const complete: string[] = [];
  let answer = "";
  const open = (): string | undefined => (answer === "" ? undefined : assistantKey + answer);
  return {
    complete: complete as readonly string[],
    /** The model's text after the last other message. */
    open,
    add(message: Message): void {
      if (message.role === "tool") return;
      if (message.role === "assistant") {
        answer += messageKey(message).slice(assistantKey.length).replaceAll(/\s+/g, "");
        return;
      }
      const ended = open();
      if (ended !== undefined) complete.push(ended);
      answer = "";
      complete.push(messageKey(message));
    },
  };
}

/** Collects the calls and outputs of a history. */
function createKnownCalls() {
  const calls = new Set<string>();
  const outputs = new Map<string, Set<string>>();
  return {
    add(message: Message): void {
      if (message.role === "assistant")
        for (const { id } of message.tool_calls ?? []) calls.add(id);
      if (message.role !== "tool") return;
      const texts = outputs.get(message.tool_call_id) ?? new Set();
      outputs.set(message.tool_call_id, texts.add(messageKey(message)));
    },
    /** Whether the stated calls and outputs are those of the history. The history may have more. */
    areRepeatedBy(stated: readonly ResolvedItem[], runIds: ReadonlySet<string>): boolean {
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
    },
  };
}

function outputText(output: StatedOutput): string {
  return messageKey(outputMessage("", output));
}
