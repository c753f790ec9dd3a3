import type { Message, ToolCallRequest, ToolMessage } from "@capstan/core";
import type { ReasoningPart } from "@capstan/core/host";
import { type ApiError, invalidRequest } from "../http/api-error.ts";
import { type ApprovalResponse, approvalResponses } from "./approval-responses.ts";
import { createAssistantTurn } from "./assistant-turn.ts";
import { contentPart, contentText, messageContent } from "./content-parts.ts";
import { resolveReferences } from "./item-references.ts";
import type {
  CallOutputInput,
  InputContent,
  InputItem,
  McpCallInput,
  ReasoningInput,
} from "./request/input-item.ts";

export interface InputContext {
  /** What an `item_reference` means, or what we keep of an item that a client repeats; undefined where nothing is kept. */
  readonly resolve: (itemId: string) => InputItem | undefined;
  /**
   * Whether the history before this input has the item already; a reference to it is dropped then.
   * @default () => false
   */
  readonly isInHistory?: (itemId: string) => boolean;
  /** Open calls of the session whose output the input may bring: call id → name of the tool. */
  readonly knownCalls: ReadonlyMap<string, string>;
}

export type InputMessages =
  | {
      readonly status: "ok";
      /** The conversation that the input brings, in OpenAI Chat's form. */
      readonly messages: readonly Message[];
      /** Outputs of calls of an earlier response; they are not among `messages`. */
      readonly answers: readonly ToolMessage[];
      /** Answers to approval requests that nothing was done with yet. */
      readonly approvals: readonly ApprovalResponse[];
      /** The items, references put in place. */
      readonly items: readonly InputItem[];
    }
  | { readonly status: "error"; readonly error: ApiError };

/**
 * The items of a request as messages for a model. Calls that a model made in one step become one
 * message with all of them, each followed by its answer, wherever the client put that.
 */
export function inputMessages(input: readonly InputItem[], context: InputContext): InputMessages {
  const resolved = resolveReferences(input, context);
  if (resolved.status === "error") return resolved;
  const items = resolved.value;

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
        if (name === undefined) return { status: "error", error: unknownCall(item.call_id) };
        answers.set(item.call_id, answer(item.call_id, name, item.output));
        break;
      }
      case "mcp_call": {
        const id = item.id ?? `${item.server_label}_${messages.length}`;
        turn.call(
          toolCall(id, item.name, item.arguments),
          answer(id, item.name, mcpOutput(item, context)),
        );
        break;
      }
      case "mcp_approval_request": {
        const refusal = refusals.get(item.id);
        if (refusal === undefined) break;
        const text = `A person refused this call.${refusal.reason === undefined ? "" : ` Reason: ${refusal.reason}`}`;
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
  return { status: "ok", messages, answers: [...answers.values()], approvals, items };
}

function unknownCall(callId: string): ApiError {
  return invalidRequest({
    param: "input",
    code: "invalid_value",
    message: `No tool call found for function call output with call_id ${callId}.`,
  });
}

function isOutput(item: InputItem): item is CallOutputInput {
  return item.type === "function_call_output" || item.type === "custom_tool_call_output";
}

function isCall(
  item: InputItem,
): item is Extract<InputItem, { type: "function_call" | "custom_tool_call" }> {
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

/** Some clients drop the output of the calls they repeat; ours is asked for then. */
function mcpOutput(item: McpCallInput, { resolve }: InputContext): string {
  const kept =
    item.output === undefined && item.error === undefined ? resolve(item.id ?? "") : item;
  if (kept?.type !== "mcp_call") return "The output of this call was not kept.";
  return kept.output ?? errorText(kept.error);
}

function errorText(error: unknown): string {
  if (error === undefined) return "The output of this call was not kept.";
  return typeof error === "string" ? error : JSON.stringify(error);
}

function reasoningPart(item: ReasoningInput): ReasoningPart {
  const { id, encrypted_content: reasoningEncryptedContent } = item;
  const text = (item.content ?? item.summary).map((part) => part.text).join("\n");
  if (reasoningEncryptedContent === undefined) return { text };
  const openai = { reasoningEncryptedContent, ...(id === undefined ? {} : { itemId: id }) };
  return { text, providerMetadata: { openai } };
}
