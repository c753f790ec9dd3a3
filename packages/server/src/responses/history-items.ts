import type { JsonObject, ToolCallRequest } from "@capstan/core";
import { customArguments, type ReasoningPart } from "@capstan/core/host";
import { badRequest, isObject } from "../http/errors.ts";
import type { HistoryItem, StatedMessage, StatedOutput } from "../runs/history/history-item.ts";
import type { CallReceipt, OpenReceipt } from "./projection/call-receipts.ts";
import { callArguments } from "./client-tools/built-in-tools.ts";
import { outputText } from "./client-tools/output-text.ts";
import { type BuiltInType, modelName } from "./client-tools/tool-form.ts";
import { contentPart, contentText, messageContent } from "./content-parts.ts";
import { approvalIdOf, runOfItem } from "./projection/output-order.ts";
import type { InputContent, InputItem, ItemOf } from "./request/parse-input.ts";

/**
 * Returns the items of a request in the form in which histories are merged.
 *
 * @throws RequestError for a corrupt receipt, or one of another user
 */
export function historyItems(
  input: readonly InputItem[],
  openReceipt: OpenReceipt,
): readonly HistoryItem<InputItem>[] {
  return input.map((item, at) => historyItem(item, at, openReceipt));
}

/** Returns one item in the form in which histories are merged. `at` is its position. */
export function historyItem(
  item: InputItem,
  at: number,
  openReceipt: OpenReceipt,
): HistoryItem<InputItem> {
  const common = {
    source: item,
    at,
    ...("id" in item &&
      typeof item.id === "string" &&
      item.id !== "" && { id: item.id, runId: runOfItem(item.id) }),
  };
  switch (item.type) {
    case "message":
      return { ...common, type: "message", message: statedMessage(item) };
    case "reasoning": {
      const receipt = receiptOf(item, at, openReceipt);
      if (receipt === undefined) return { ...common, type: "reasoning", part: reasoningPart(item) };
      const { group, name, arguments: args, result } = receipt;
      const call = toolCall(item.id ?? `${group}_${at}`, name, args);
      return { ...common, type: "server_call", call, result };
    }
    case "function_call":
      return {
        ...common,
        type: "call",
        call: toolCall(item.call_id, modelName(item), item.arguments),
      };
    case "custom_tool_call": {
      const args = customArguments(item.input);
      return { ...common, type: "call", call: toolCall(item.call_id, modelName(item), args) };
    }
    case "local_shell_call":
      return { ...common, type: "call", call: builtInCall(item, "local_shell", item.action) };
    case "shell_call":
      return { ...common, type: "call", call: builtInCall(item, "shell", item.action) };
    case "apply_patch_call":
      return { ...common, type: "call", call: builtInCall(item, "apply_patch", item.operation) };
    case "tool_search_call": {
      const { call_id, arguments: args } = item;
      if (call_id === undefined) return { ...common, type: "hidden" };
      const known = isObject(args) ? (args as JsonObject) : {};
      return { ...common, type: "call", call: builtInCall({ call_id }, "tool_search", known) };
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return { ...common, type: "output", output: statedOutput(item.call_id, item.output) };
    case "local_shell_call_output":
    case "shell_call_output":
    case "apply_patch_call_output":
    case "tool_search_output": {
      const callId =
        item.call_id ?? (item.type === "local_shell_call_output" ? item.id : undefined);
      if (callId === undefined) return { ...common, type: "hidden" };
      return { ...common, type: "output", output: { callId, text: outputText(item) } };
    }
    case "mcp_call": {
      const id = item.id ?? `${item.server_label}_${at}`;
      const result = item.output ?? errorText(item.error);
      return {
        ...common,
        type: "server_call",
        call: toolCall(id, item.name, item.arguments),
        result,
      };
    }
    case "mcp_approval_request":
      return {
        ...common,
        type: "approval_request",
        approvalId: approvalOf(item.id),
        call: toolCall(item.id, item.name, item.arguments),
      };
    case "mcp_approval_response":
      return {
        ...common,
        type: "approval_response",
        approvalId: approvalOf(item.approval_request_id),
        approve: item.approve,
        reason: item.reason,
      };
    case "item_reference":
      return { ...common, type: "reference", id: item.id };
    case "mcp_list_tools":
    case "additional_tools":
    case "carried":
      return { ...common, type: "hidden" };
  }
}

/** Ids of another form name no approval of this server. */
function approvalOf(itemId: string): string {
  return approvalIdOf(itemId) ?? `not an approval: ${itemId}`;
}

function statedMessage({ role, content }: ItemOf<"message">): StatedMessage {
  return role === "user"
    ? { role, content: messageContent(content) }
    : { role, content: contentText(content) };
}

function toolCall(id: string, name: string, args: string): ToolCallRequest {
  return { id, type: "function", function: { name, arguments: args } };
}

function builtInCall(
  { call_id: id }: { readonly call_id: string },
  type: BuiltInType,
  given: JsonObject,
): ToolCallRequest {
  return toolCall(id, type, JSON.stringify(callArguments(type, given)));
}

function statedOutput(callId: string, output: string | readonly InputContent[]): StatedOutput {
  if (typeof output === "string") return { callId, text: output };
  const parts = output.map(contentPart);
  const isText = parts.every((part) => part.type === "text");
  return { callId, text: contentText(output), ...(!isText && { parts }) };
}

/** Returns the call whose receipt a reasoning item has, if it has one. */
function receiptOf(
  { encrypted_content: sealed }: ItemOf<"reasoning">,
  at: number,
  openReceipt: OpenReceipt,
): CallReceipt | undefined {
  const opened = sealed === undefined ? undefined : openReceipt(sealed);
  if (opened?.status !== "invalid") return opened?.status === "opened" ? opened.receipt : undefined;
  const param = `input[${at}].encrypted_content`;
  throw badRequest(
    param,
    `Invalid '${param}': it is corrupt, or this server sealed it for another user or with another key. Send the item as the server returned it, or omit it; the model then does not read the result of that call.`,
  );
}

function errorText(error: unknown): string {
  if (error === undefined) return "The output of this call was not stored.";
  return typeof error === "string" ? error : JSON.stringify(error);
}

function reasoningPart(item: ItemOf<"reasoning">): ReasoningPart {
  const { id, encrypted_content: reasoningEncryptedContent } = item;
  const text = (item.content ?? item.summary).map((part) => part.text).join("\n");
  if (reasoningEncryptedContent === undefined) return { text };
  const openai = { reasoningEncryptedContent, ...(id === undefined ? {} : { itemId: id }) };
  return { text, providerMetadata: { openai } };
}
