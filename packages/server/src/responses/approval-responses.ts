import type { ApprovalRequestInput, InputItem } from "./request/input-item.ts";

/** A person's word, as a client sends it. */
export interface ApprovalResponse {
  /** The id of the `mcp_approval_request`; `approvalIdOf` says which approval that is. */
  readonly approvalRequestId: string;
  readonly approve: boolean;
  readonly reason?: string;
  /** Where it is in the request: `input[3].approval_request_id`. */
  readonly param: string;
  /** The question, where the input holds it. It is the client's copy: never run what it says. */
  readonly request?: ApprovalRequestInput;
}

export interface ApprovalResponses {
  /** Those that nothing was done with yet. */
  readonly open: readonly ApprovalResponse[];
  /** Refusals of earlier turns, by the id of their request. */
  readonly refusals: ReadonlyMap<string, ApprovalResponse>;
}

const modelItems: ReadonlySet<string> = new Set([
  "reasoning",
  "function_call",
  "custom_tool_call",
  "mcp_call",
]);

/**
 * The answers to approval requests in an input. A client that sends its whole history repeats
 * old ones: what a model has gone on after is history.
 */
export function approvalResponses(items: readonly InputItem[]): ApprovalResponses {
  const requests = new Map<string, ApprovalRequestInput>();
  const open: ApprovalResponse[] = [];
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
    if (index > lastModelItem) open.push(response);
    else if (!approve) refusals.set(approvalRequestId, response);
  }
  return { open, refusals };
}

/** Whether an item is what a model said or did. */
export function isFromModel(item: InputItem): boolean {
  return modelItems.has(item.type) || (item.type === "message" && item.role === "assistant");
}
