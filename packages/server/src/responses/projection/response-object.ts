import type { Usage } from "@capstan/core";
import type {
  OutputItem,
  ResponseEcho,
  ResponseObject,
  ResponseStatus,
  WireError,
} from "./wire.ts";
import { wireUsage } from "./wire-usage.ts";

/** What a response is from its first event on. */
export interface ResponseIdentity {
  /** `resp_…`, the run's id. */
  readonly responseId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly model: string;
  readonly echo: ResponseEcho;
  readonly previousResponseId?: string;
  readonly conversation?: string;
}

/** What becomes of it. */
export type ResponseState =
  | { readonly status: "queued" | "in_progress" }
  | { readonly status: "completed"; readonly at: number }
  | { readonly status: "incomplete"; readonly reason: "max_output_tokens" | "content_filter" }
  | { readonly status: "failed"; readonly error: WireError }
  | { readonly status: "cancelled" };

export function isClosed(status: ResponseStatus): boolean {
  return status !== "queued" && status !== "in_progress";
}

/** The response as the wire shows it, with all its members. */
export function responseObject(
  identity: ResponseIdentity,
  state: ResponseState,
  output: readonly OutputItem[],
  usage: Usage | undefined,
): ResponseObject {
  const { echo, conversation } = identity;
  return {
    id: identity.responseId,
    object: "response",
    created_at: seconds(identity.createdAt),
    completed_at: state.status === "completed" ? seconds(state.at) : null,
    status: state.status,
    error: state.status === "failed" ? state.error : null,
    incomplete_details: state.status === "incomplete" ? { reason: state.reason } : null,
    model: identity.model,
    previous_response_id: identity.previousResponseId ?? null,
    ...(conversation === undefined ? {} : { conversation: { id: conversation } }),
    ...echo,
    output,
    usage: isClosed(state.status) && usage !== undefined ? wireUsage(usage) : null,
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
