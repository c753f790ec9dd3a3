import type { RunRecord, Store } from "@capstan/store";
import type { Services } from "../http/services.ts";
import { type ApiError, failed, invalidRequest } from "../http/api-error.ts";
import { approvalIdOf } from "./projection/item-id.ts";
import type { CreateRequest } from "./request/create-request.ts";
import { newItems } from "./split-history.ts";

export type ParentOutcome =
  | {
      readonly status: "ok";
      readonly parent: RunRecord | undefined;
      readonly conversationId: string | null;
      /** The conversation has no title yet. */
      readonly untitled: boolean;
      /** The request names no parent; it was found by an item or a call in the input. */
      readonly byItem: boolean;
    }
  | { readonly status: "error"; readonly error: ApiError };

/** Finds the run that a request continues: the newest of its conversation, the one that it names, or the one whose open call it answers. */
export async function findParent(
  { runs }: Pick<Services, "runs">,
  owner: string,
  request: CreateRequest,
): Promise<ParentOutcome> {
  const { store } = runs;
  if (request.conversation !== undefined && !request.store) {
    const message = "'conversation' can only be used when 'store' is true: it keeps what is said.";
    return failed(invalidRequest({ param: "conversation", message }));
  }
  if (request.conversation !== undefined) {
    const conversation = await store.getConversation({ owner, id: request.conversation });
    if (conversation === undefined) {
      const message = `Conversation with id '${request.conversation}' not found.`;
      return failed(
        invalidRequest({
          param: "conversation",
          code: "conversation_not_found",
          message,
          status: 404,
        }),
      );
    }
    const parent =
      conversation.headRunId === null
        ? undefined
        : await store.getRun({ owner, id: conversation.headRunId });
    return {
      status: "ok",
      parent,
      conversationId: conversation.id,
      untitled: conversation.title === "",
      byItem: false,
    };
  }
  if (request.previousResponseId !== undefined) {
    const parent = await store.getRun({ owner, id: request.previousResponseId });
    if (parent !== undefined)
      return { status: "ok", parent, conversationId: null, untitled: false, byItem: false };
    const message = `Previous response with id '${request.previousResponseId}' not found.`;
    return failed(
      invalidRequest({
        param: "previous_response_id",
        code: "previous_response_not_found",
        message,
      }),
    );
  }
  const parent = await findByAnswer(runs.stores.forNew({ kept: request.store }), owner, request);
  return {
    status: "ok",
    parent,
    conversationId: null,
    untitled: false,
    byItem: parent !== undefined,
  };
}

async function findByAnswer(
  store: Store,
  owner: string,
  request: CreateRequest,
): Promise<RunRecord | undefined> {
  const fresh = newItems(request.input).toReversed();
  for (const item of fresh) {
    if (item.type !== "mcp_approval_response") continue;
    const id = approvalIdOf(item.approval_request_id);
    const approval = id === undefined ? undefined : await store.getApproval({ owner, id });
    if (approval !== undefined) return store.getRun({ owner, id: approval.runId });
  }
  const own = new Set(
    request.input.flatMap((item) =>
      item.type === "function_call" || item.type === "custom_tool_call" ? [item.call_id] : [],
    ),
  );
  for (const item of fresh) {
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue;
    if (!own.has(item.call_id)) return store.findRun({ owner, callId: item.call_id });
  }
  return undefined;
}
