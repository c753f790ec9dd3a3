import type { Message, ToolCallRequest, ToolMessage } from "@capstan/core";
import type { ReasoningPart } from "@capstan/core/host";
import { badRequest, RequestError } from "../http/errors.ts";
import { contentPart, contentText, messageContent } from "./content-parts.ts";
import type { InputContent, InputItem, ItemOf } from "./request/parse-input.ts";

type CallOutputInput = ItemOf<"function_call_output" | "custom_tool_call_output">;
type CallInput = ItemOf<"function_call" | "custom_tool_call">;

export interface InputContext {
  /**
   * Returns the item of an `item_reference`, or the stored form of an item that a client repeats.
   * Undefined if none is stored.
   */
  readonly resolve: (itemId: string) => InputItem | undefined;
  /** Open calls of the session whose output the input can contain: call id → name of the tool. */
  readonly knownCalls: ReadonlyMap<string, string>;
}

export interface InputMessages {
  /** The conversation that the input brings, in OpenAI Chat's form. */
  readonly messages: readonly Message[];
  /** Outputs of an earlier response's calls; they are not in `messages`. */
  readonly answers: readonly ToolMessage[];
  /** New answers to approval requests. */
  readonly approvals: readonly ApprovalResponse[];
  /** The items, with references resolved. */
  readonly items: readonly InputItem[];
}

/**
 * The items of a request as messages for a model. Calls of one model step become one message, which
 * their outputs follow, whatever their order in the input.
 *
 * @throws RequestError for a reference to an unknown item, or an output of an unknown call
 */
export function inputMessages(input: readonly InputItem[], context: InputContext): InputMessages {
  const items = resolveReferences(input, context);
  const outputs = new Map<string, CallOutputInput>();
  for (const item of items) if (isOutput(item)) outputs.set(item.call_id, item);
  const ownCalls = new Set(items.flatMap((item) => (isCall(item) ? [item.call_id] : [])));
  const { open: approvals, refusals } = approvalResponses(items);

  const messages: Message[] = [];
  const answers = new Map<string, ToolMessage>();
  const turn = createAssistantTurn(messages);

  for (const item of items) {
    switch (item.type) {
      case "message":
        if (item.role === "assistant") {
          turn.say(contentText(item.content));
          break;
        }
        turn.end();
        if (item.role === "user")
          messages.push({ role: "user", content: messageContent(item.content) });
        else messages.push({ role: item.role, content: contentText(item.content) });
        break;
      case "reasoning":
        turn.reason(reasoningPart(item));
        break;
      case "function_call":
      case "custom_tool_call": {
        const args =
          item.type === "function_call" ? item.arguments : JSON.stringify({ input: item.input });
        const output =
          outputs.get(item.call_id)?.output ?? "No output was submitted for this call.";
        turn.call(toolCall(item.call_id, item.name, args), answer(item.call_id, item.name, output));
        break;
      }
      case "function_call_output":
      case "custom_tool_call_output": {
        turn.end();
        if (ownCalls.has(item.call_id)) break;
        const name = context.knownCalls.get(item.call_id);
        if (name === undefined) throw unknownCall(item.call_id);
        answers.set(item.call_id, answer(item.call_id, name, item.output));
        break;
      }
      case "mcp_call": {
        const id = item.id ?? `${item.server_label}_${messages.length}`;
        turn.call(
          toolCall(id, item.name, item.arguments),
          answer(id, item.name, item.output ?? errorText(item.error)),
        );
        break;
      }
      case "mcp_approval_request": {
        const refusal = refusals.get(item.id);
        if (refusal === undefined) break;
        const text = `The user refused this call.${refusal.reason === undefined ? "" : ` Reason: ${refusal.reason}`}`;
        turn.call(toolCall(item.id, item.name, item.arguments), answer(item.id, item.name, text));
        break;
      }
      case "mcp_approval_response":
      case "mcp_list_tools":
      case "item_reference":
      case "carried":
        break;
    }
  }
  turn.end();
  return { messages, answers: [...answers.values()], approvals, items };
}

function unknownCall(callId: string): RequestError {
  const message = `No tool call found for function call output with call_id ${callId}.`;
  return badRequest("input", message);
}

function isOutput(item: InputItem): item is CallOutputInput {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output";
}

function isCall(item: InputItem): item is CallInput {
  return item.type === "function_call" || item.type === "custom_tool_call";
}

function toolCall(id: string, name: string, args: string): ToolCallRequest {
  return { id, type: "function", function: { name, arguments: args } };
}

function answer(id: string, name: string, output: string | readonly InputContent[]): ToolMessage {
  if (typeof output === "string") return { role: "tool", tool_call_id: id, name, content: output };
  const parts = output.map(contentPart);
  const isText = parts.every((part) => part.type === "text");
  const content = contentText(output);
  return { role: "tool", tool_call_id: id, name, content, ...(isText ? {} : { parts }) };
}

/**
 * Returns the call as this server has stored it. Some clients drop the outputs of calls that they
 * repeat, and a client's output is not necessarily the tool's.
 */
function storedCall(
  item: ItemOf<"mcp_call">,
  resolve: InputContext["resolve"],
): ItemOf<"mcp_call"> {
  const stored = item.id === undefined ? undefined : resolve(item.id);
  return stored?.type === "mcp_call" ? stored : item;
}

function errorText(error: unknown): string {
  if (error === undefined) return "The output of this call was not kept.";
  return typeof error === "string" ? error : JSON.stringify(error);
}

function reasoningPart(item: ItemOf<"reasoning">): ReasoningPart {
  const { id, encrypted_content: reasoningEncryptedContent } = item;
  const text = (item.content ?? item.summary).map((part) => part.text).join("\n");
  if (reasoningEncryptedContent === undefined) return { text };
  const openai = { reasoningEncryptedContent, ...(id === undefined ? {} : { itemId: id }) };
  return { text, providerMetadata: { openai } };
}

/** A user's answer to an approval request, as a client sends it. */
export interface ApprovalResponse {
  /** The id of the `mcp_approval_request`; `approvalIdOf` returns the approval's id. */
  readonly approvalRequestId: string;
  readonly approve: boolean;
  readonly reason?: string;
  /** Its path in the request: `input[3].approval_request_id`. */
  readonly param: string;
  /**
   * The approval request, if the input contains it. It is the client's copy: never execute its
   * contents.
   */
  readonly request?: ItemOf<"mcp_approval_request">;
}

interface ApprovalResponses {
  /** New answers. */
  readonly open: readonly ApprovalResponse[];
  /** Denials of earlier turns, by the id of their request. */
  readonly refusals: ReadonlyMap<string, ApprovalResponse>;
}

const modelItems: ReadonlySet<string> = new Set([
  "reasoning",
  "function_call",
  "custom_tool_call",
  "mcp_call",
]);

/**
 * Returns the answers to approval requests in an input. A client that sends its whole history
 * repeats old ones: answers before a model's last output are history.
 */
function approvalResponses(items: readonly InputItem[]): ApprovalResponses {
  const requests = new Map<string, ItemOf<"mcp_approval_request">>();
  const open = new Map<string, ApprovalResponse>();
  const refusals = new Map<string, ApprovalResponse>();
  const lastModelItem = items.findLastIndex(isFromModel);

  for (const [index, item] of items.entries()) {
    if (item.type === "mcp_approval_request") requests.set(item.id, item);
    if (item.type !== "mcp_approval_response") continue;
    const { approval_request_id: approvalRequestId, approve, reason } = item;
    const request = requests.get(approvalRequestId);
    const response: ApprovalResponse = {
      approvalRequestId,
      approve,
      param: `input[${index}].approval_request_id`,
      ...(reason === undefined ? {} : { reason }),
      ...(request === undefined ? {} : { request }),
    };
    // Of several answers to one request, a denial counts, whatever its position.
    const refused = refusals.get(approvalRequestId);
    if (index > lastModelItem) {
      if (!approve || !open.has(approvalRequestId))
        open.set(approvalRequestId, refused ?? response);
    } else if (!approve) refusals.set(approvalRequestId, response);
  }
  return { open: [...open.values()], refusals };
}

/** Returns whether an item is a model's output. */
function isFromModel(item: InputItem): boolean {
  return modelItems.has(item.type) || (item.type === "message" && item.role === "assistant");
}

/** Merges the items into which the Responses API splits a model's step. */
function createAssistantTurn(messages: Message[]) {
  let reasoning: ReasoningPart[] = [];
  let content: string | undefined;
  let calls: ToolCallRequest[] = [];
  let answers: ToolMessage[] = [];

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
        ...answers,
      );
    }
    content = undefined;
    reasoning = [];
    calls = [];
    answers = [];
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
    /** `answer` is the call's output as a message. */
    call(request: ToolCallRequest, answer: ToolMessage): void {
      calls.push(request);
      answers.push(answer);
    },
    end,
  };
}

interface SplitHistory {
  /** Messages up to the last output of a model or a tool. */
  readonly before: readonly Message[];
  /** The new messages of this turn. */
  readonly turn: readonly Message[];
}

/**
 * Splits a client's messages into history and new ones, because some clients send the whole history
 * each time.
 */
export function splitHistory(messages: readonly Message[]): SplitHistory {
  const start = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool") + 1;
  return { before: messages.slice(0, start), turn: messages.slice(start) };
}

/** Returns the items after the last model item. */
export function newItems(input: readonly InputItem[]): readonly InputItem[] {
  return input.slice(input.findLastIndex((item) => isFromModel(item) || isQuestion(item)) + 1);
}

function isQuestion({ type }: InputItem): boolean {
  return type === "mcp_approval_request";
}

/**
 * Replaces references with their items. An item that the input already contains is not repeated.
 */
function resolveReferences(
  input: readonly InputItem[],
  { resolve }: InputContext,
): readonly InputItem[] {
  const items: InputItem[] = [];
  const written = new Set(
    input.flatMap((item) =>
      item.type !== "item_reference" && "id" in item && item.id !== undefined ? [item.id] : [],
    ),
  );
  for (const [index, item] of input.entries()) {
    if (item.type !== "item_reference") {
      items.push(item.type === "mcp_call" ? storedCall(item, resolve) : item);
      continue;
    }
    if (written.has(item.id)) continue;
    written.add(item.id);
    const found = resolve(item.id);
    if (found === undefined) throw unknownItem(item.id, index);
    items.push(found);
  }
  return items;
}

function unknownItem(id: string, index: number): RequestError {
  return new RequestError({
    status: 404,
    param: "input",
    code: "item_not_found",
    message: `Item with id '${id}' not found (input[${index}]). Items are not persisted when \`store\` is set to false. Send the item itself, or set \`store\` to true.`,
  });
}
