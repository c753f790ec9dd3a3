import type { Message, ToolCallRequest, ToolMessage } from "@capstan/core";
import type { ReasoningPart } from "@capstan/core/host";
import { isFromModel, type ResolvedItem, type StatedOutput } from "./history-item.ts";
import type { PairedOutputs } from "./pair-outputs.ts";

/**
 * Returns items as messages for a model. Calls of one model step become one message, which their
 * outputs follow, whatever their order in the input.
 */
export function itemMessages(
  items: readonly ResolvedItem[],
  { outputOf }: Pick<PairedOutputs, "outputOf">,
): readonly Message[] {
  const messages: Message[] = [];
  const turn = createAssistantTurn(messages);
  const refusals = earlierRefusals(items);

  for (const item of items) {
    switch (item.type) {
      case "message":
        if (item.message.role === "assistant") {
          turn.say(item.message.content);
          break;
        }
        turn.end();
        messages.push(item.message);
        break;
      case "reasoning":
        turn.reason(item.part);
        break;
      case "call": {
        const given = outputOf.get(item)?.output ?? noOutput(item.call.id);
        turn.call(item.call, outputMessage(item.call.function.name, given));
        break;
      }
      case "output":
        turn.end();
        break;
      case "server_call": {
        const { call, result } = item;
        turn.call(call, outputMessage(call.function.name, { callId: call.id, text: result }));
        break;
      }
      case "approval_request": {
        const refusal = refusals.get(item.approvalId);
        if (refusal === undefined) break;
        const { call } = item;
        turn.call(call, outputMessage(call.function.name, { callId: call.id, text: refusal }));
        break;
      }
      case "approval_response":
      case "hidden":
        break;
    }
  }
  turn.end();
  return messages;
}

/** Returns an output as the message of its call. */
export function outputMessage(name: string, { callId, text, parts }: StatedOutput): ToolMessage {
  return {
    role: "tool",
    tool_call_id: callId,
    name,
    content: text,
    ...(parts !== undefined && { parts }),
  };
}

function noOutput(callId: string): StatedOutput {
  return { callId, text: "No output was submitted for this call." };
}

/**
 * Returns a text for the model about each denied call of earlier turns, by the id of its approval.
 */
function earlierRefusals(items: readonly ResolvedItem[]): ReadonlyMap<string, string> {
  const refusals = new Map<string, string>();
  const lastModelItem = items.findLastIndex(isFromModel);
  for (const item of items.slice(0, Math.max(0, lastModelItem))) {
    if (item.type !== "approval_response" || item.approve) continue;
    const reason = item.reason === undefined ? "" : ` Reason: ${item.reason}`;
    refusals.set(item.approvalId, `The user denied this call.${reason}`);
  }
  return refusals;
}

/** Merges the items into which APIs split a model's step. */
function createAssistantTurn(messages: Message[]) {
  let reasoning: ReasoningPart[] = [];
  let content: string | undefined;
  let calls: ToolCallRequest[] = [];
  let results: ToolMessage[] = [];

  /** Ends the step: adds the assistant's message, then the outputs of its calls in order. */
  const end = (): void => {
    if (content !== undefined || calls.length > 0 || reasoning.length > 0) {
      messages.push(
        {
          role: "assistant",
          content: content ?? "",
          ...(reasoning.length === 0 ? {} : { reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        ...results,
      );
    }
    content = undefined;
    reasoning = [];
    calls = [];
    results = [];
  };

  return {
    reason(part: ReasoningPart): void {
      // Reasoning is first in a step; after any other item it starts the next step.
      if (content !== undefined || calls.length > 0) end();
      reasoning.push(part);
    },
    say(text: string): void {
      if (content !== undefined || calls.length > 0) end();
      content = text;
    },
    call(request: ToolCallRequest, result: ToolMessage): void {
      calls.push(request);
      results.push(result);
    },
    end,
  };
}

interface NewMessages {
  /** Messages up to the last output of a model or a tool. */
  readonly before: readonly Message[];
  /** The new messages of this turn. */
  readonly turn: readonly Message[];
}

/**
 * Splits a request's messages into history and those of the new turn, because some clients send the
 * whole history each time.
 *
 * @param options.adopts whether the run continues a turn. Only the messages up to the last tool
 * result are then history, because the turn's record lacks their calls. All later ones follow the
 * turn
 */
export function newMessages(
  messages: readonly Message[],
  { adopts }: { readonly adopts: boolean },
): NewMessages {
  const isHistory = ({ role }: Message) => role === "tool" || (role === "assistant" && !adopts);
  const start = messages.findLastIndex(isHistory) + 1;
  return { before: messages.slice(0, start), turn: messages.slice(start) };
}
