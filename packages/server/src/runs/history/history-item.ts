import type { ContentPart, Message, ToolCallRequest } from "@capstan/core";
import type { ReasoningPart } from "@capstan/core/host";

/**
 * One item of the history that a request states, in the form that all APIs share.
 *
 * @typeParam Source - the item in the API's own form, which the merge returns unchanged
 */
export type HistoryItem<Source = unknown> = ItemContent & {
  readonly source: Source;
  /** Its position in the request, which errors name. */
  readonly at: number;
  readonly id?: string | undefined;
  /** The run that the id names. */
  readonly runId?: string | undefined;
};

type ItemContent =
  | { readonly type: "message"; readonly message: StatedMessage }
  | { readonly type: "reasoning"; readonly part: ReasoningPart }
  /** A call of one of the client's tools. */
  | { readonly type: "call"; readonly call: ToolCallRequest }
  /** The output of a client's tool. */
  | { readonly type: "output"; readonly output: StatedOutput }
  /** A call that the server ran, with its result as the model reads it. */
  | { readonly type: "server_call"; readonly call: ToolCallRequest; readonly result: string }
  | {
      readonly type: "approval_request";
      readonly approvalId: string;
      readonly call: ToolCallRequest;
    }
  | ({ readonly type: "approval_response" } & ApprovalResponse)
  /** Names a stored item by its id. */
  | { readonly type: "reference"; readonly id: string }
  /** An item that is stored and not shown to the model. */
  | { readonly type: "hidden" };

/** A message of the system, the user or the model, without calls. */
export type StatedMessage = Exclude<Message, { readonly role: "tool" }>;

/** An output that a client states: its text, and its parts if it has images or files. */
export interface StatedOutput {
  readonly callId: string;
  readonly text: string;
  readonly parts?: readonly ContentPart[];
}

/** A user's answer to an approval request. */
export interface ApprovalResponse {
  readonly approvalId: string;
  readonly approve: boolean;
  readonly reason?: string | undefined;
}

/** An item of one type. */
export type HistoryItemOf<Type extends HistoryItem["type"], Source = unknown> = Extract<
  HistoryItem<Source>,
  { readonly type: Type }
>;

/** A stored item, and the run in whose input or output it is. */
export interface StoredHistoryItem<Source = unknown> {
  readonly item: HistoryItem<Source>;
  readonly runId: string;
  /** Whether the run is stored. Requests cannot refer to items of unstored runs. */
  readonly isDurable: boolean;
}

/** An item after references have been replaced by the stored items that they name. */
export type ResolvedItem<Source = unknown> = Exclude<
  HistoryItem<Source>,
  { readonly type: "reference" }
>;

/** Why a history cannot be merged. `at` is the position of the item that is wrong. */
export type HistoryProblem =
  | { readonly reason: "unknown_item"; readonly at: number; readonly id: string }
  | { readonly reason: "unknown_call"; readonly at: number; readonly callId: string }
  | { readonly reason: "second_output"; readonly at: number; readonly callId: string }
  | { readonly reason: "unknown_approval"; readonly at: number }
  /** The approval's run and the request are in different stores. */
  | { readonly reason: "approval_in_other_store"; readonly at: number };

/** Thrown by the steps of the merge. `mergeHistory` returns the problem instead. */
export class HistoryError extends Error {
  readonly problem: HistoryProblem;

  constructor(problem: HistoryProblem) {
    super(`The history is invalid: ${problem.reason} at ${problem.at}.`);
    this.name = "HistoryError";
    this.problem = problem;
  }
}

/** Whether an item is a model's output. */
export function isFromModel(item: ResolvedItem): boolean {
  switch (item.type) {
    case "reasoning":
    case "call":
    case "server_call":
      return true;
    case "message":
      return item.message.role === "assistant";
    default:
      return false;
  }
}
