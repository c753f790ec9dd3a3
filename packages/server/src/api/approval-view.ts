import type { CallRecord, ContentPart } from "@capstan/core";
import { reviewRequestOf } from "@capstan/core/host";
import type { ApprovalView, ReviewedPart, ReviewedResult } from "@capstan/contract";
import type { ApprovalRecord } from "@capstan/store";

/** Characters of base64 of one picture or file that go along with a result. */
const inlineChars = 4 * 1024 * 1024;

/** A question as everybody of its owner sees it: nothing of a result is in it. */
export function approvalView(approval: ApprovalRecord): ApprovalView {
  const { runId: run, conversationId: conversation } = approval;
  const common = { object: "approval", run, conversation } as const;
  if (approval.kind === "execution") {
    const { request, kind, status } = approval;
    return { ...request, ...common, kind, status };
  }
  const { request, kind, status, outcome } = approval;
  const reason = outcome?.reason;
  return {
    ...request,
    ...common,
    kind,
    status,
    ...(reason !== undefined && { answer_reason: reason }),
  };
}

/** What its reviewer sees: the arguments and a slice of the result. Undefined once it is settled. */
export function reviewedView(
  call: CallRecord,
  { start, length }: { readonly start: number; readonly length: number },
): { readonly args: CallRecord["args"] & object; readonly result: ReviewedResult } | undefined {
  const request = reviewRequestOf(call);
  if (request === undefined) return undefined;
  const { args, text, shown, parts = [] } = request;
  const from = Math.min(start, text.length);
  const result = {
    text: text.slice(from, from + length),
    start: from,
    total: text.length,
    shown,
    parts: parts.map(reviewedPart),
  };
  return { args, result };
}

function reviewedPart(part: ContentPart): ReviewedPart {
  if (part.type !== "image" && part.type !== "file") return part;
  const { source, type, mimeType } = part;
  if (source.type !== "base64" || source.data.length <= inlineChars) return part;
  return { type: "omitted", of: type, mimeType, bytes: Math.floor(source.data.length * 0.75) };
}
