import { errorMessage } from "../../base/errors.ts";
import { neutraliseOutside } from "../../text/neutralise.ts";
import {
  type ReviewDecision,
  type ReviewNotice,
  type ReviewOutcome,
  reviewOutcomes,
  redact,
  reviewProblem,
} from "../../policy/review.ts";
import { type RegisteredTool, titleOf } from "../../tool/registry.ts";
import type { CallRecord, CallRetry } from "../record/call-record.ts";
import { truncateForModel } from "./format-result.ts";
import {
  type DraftResult,
  reviewRequestOf,
  type Quarantine,
  type CallInReview,
  type SettledCall,
} from "../record/call-outcome.ts";
import { withheldText } from "../record/call-status.ts";
import type { PendingRequest } from "../gate/call-host.ts";
import { endOf, type Gate } from "../gate/gate.ts";
import { keepResult } from "./keep-result.ts";
import { newId } from "../../base/id.ts";
import { settleWithoutResult } from "../gate/settle-without-result.ts";
import { contentParts } from "../../tool/return-value.ts";

/** Stage 10, first half: puts the result into quarantine. */
export function beginReview(
  gate: Gate,
  call: { readonly record: CallRecord; readonly registered: RegisteredTool },
  draft: DraftResult,
  reason: string,
): CallInReview {
  const { registered } = call;
  const { retries, ...record } = call.record;
  const createdAt = gate.clock.now();
  const review: ReviewNotice = {
    id: newId("appr_"),
    callId: record.callId,
    toolId: registered.id,
    toolName: registered.name,
    groupTitle: titleOf(registered.group),
    isError: draft.end.status !== "success",
    reason,
    createdAt,
    expiresAt: createdAt + gate.limits.approvalMs,
  };
  const quarantined: CallRecord = {
    ...record,
    status: "in_review",
    review,
    quarantine: quarantineOf(draft, retries),
  };
  return callInReview(quarantined, registered);
}

/** Returns the pending request of a call in review. */
export function reviewRequest({ record, registered, request }: CallInReview): PendingRequest {
  return { kind: "review", id: request.id, record, registered, request };
}

/** Returns a call in review from its record, which another process may have stored. */
export function callInReview(record: CallRecord, registered: RegisteredTool): CallInReview {
  const request = reviewRequestOf(record);
  if (request === undefined)
    throw new TypeError(
      `The call ${record.callId} is ${record.status} and has no result in review.`,
    );
  return { record, registered, request };
}

/**
 * Stage 10, second half, and the stages after it: applies a user's review to a call in quarantine,
 * and returns its result for the model. Needs only the record. Stores only a released result. A
 * decision that cannot be applied withholds the result.
 */
export function settleReviewed(
  gate: Gate,
  { record, registered }: Pick<CallInReview, "record" | "registered">,
  decision: ReviewDecision,
): SettledCall {
  const problem = reviewProblem(decision, record.quarantine?.formatted.text ?? "");
  if (problem !== undefined) return withholdResult(gate, record, { reason: problem, by: "system" });
  if (decision.decision === "withhold") return withholdResult(gate, record, decision);
  const reviewed = reviewedDraft(gate, { record, registered }, decision);
  if (reviewed.status === "refused")
    return withholdResult(gate, record, { reason: reviewed.reason, by: "system" });
  const { retries } = record.quarantine ?? {};
  const whole = decision.decision === "release" && retries !== undefined ? { retries } : {};
  const outcome = reviewOutcomes[decision.decision];
  const released = { ...withoutQuarantine(record, { outcome, by: "person" }), ...whole };
  return keepResult(gate, released, registered, reviewed.draft, endOf(gate, released));
}

/**
 * Ends a call in quarantine without its result. Does not need the tool, which may have been
 * removed.
 */
export function withholdResult(
  gate: Gate,
  record: CallRecord,
  { reason: given, by = "person" }: Pick<ReviewOutcome, "reason"> & { by?: "person" | "system" },
): SettledCall {
  const reason = given?.trim() || noReason;
  const ended = withoutQuarantine(record, { outcome: "withheld", by, reason });
  return settleWithoutResult(gate, ended, { status: "result_rejected", reason });
}

/**
 * Returns the text that the model would get after this review, without the texts around it. Has no
 * side effects.
 */
export function previewReviewed(
  gate: Gate,
  {
    record,
    registered,
  }: { readonly record: CallRecord; readonly registered: RegisteredTool | undefined },
  decision: ReviewDecision,
): string {
  const problem = reviewProblem(decision, record.quarantine?.formatted.text ?? "");
  if (problem !== undefined) return withheldText(problem);
  if (decision.decision === "withhold") return withheldText(decision.reason?.trim() || noReason);
  if (registered === undefined) return withheldText("its tool no longer exists");
  const reviewed = reviewedDraft(gate, { record, registered }, decision);
  return reviewed.status === "refused"
    ? withheldText(reviewed.reason)
    : neutraliseOutside(reviewed.draft.cut.text);
}

const noReason = "no reason was given";

interface Refusal {
  readonly status: "refused";
  readonly reason: string;
}

function reviewedDraft(
  gate: Gate,
  { record, registered }: Pick<CallInReview, "record" | "registered">,
  decision: Exclude<ReviewDecision, { readonly decision: "withhold" }>,
): { readonly status: "draft"; readonly draft: DraftResult } | Refusal {
  const { quarantine } = record;
  if (quarantine === undefined)
    return { status: "refused", reason: "the result is no longer stored" };
  const draft = draftOf(quarantine);
  const whole = draft.formatted.text;
  if (decision.decision === "release") return { status: "draft", draft };
  try {
    const text = decision.decision === "redact" ? redact(whole, decision.words) : decision.text;
    return { status: "draft", draft: withText(gate, { record, registered }, draft, text) };
  } catch (thrown) {
    return { status: "refused", reason: `the review failed: ${errorMessage(thrown)}` };
  }
}

/** Also removes the data, the images and the error's other fields. */
function withText(
  gate: Gate,
  { record, registered }: Pick<CallInReview, "record" | "registered">,
  draft: DraftResult,
  text: string,
): DraftResult {
  const { end } = draft;
  const isError = end.status !== "success";
  const cut = truncateForModel(gate, registered.tool, { whole: text, record, isError });
  const shown =
    end.status === "success"
      ? { ...end, data: text }
      : { ...end, error: { code: end.error.code, message: text } };
  return { ...draft, end: shown, formatted: { status: "formatted", text }, cut };
}

function withoutQuarantine(
  { quarantine: _wiped, ...record }: CallRecord,
  reviewed: ReviewOutcome,
): CallRecord {
  return { ...record, reviewed };
}

/** Returns the stored form of a draft. */
export function quarantineOf(
  draft: DraftResult,
  retries: readonly CallRetry[] | undefined,
): Quarantine {
  const { end, formatted, cut, durationMs } = draft;
  const kept = { formatted, cut, durationMs, ...(retries !== undefined && { retries }) };
  if (end.status !== "success") return { ...kept, end };
  const isOther = typeof end.data === "string" && end.data !== formatted.text;
  return {
    ...kept,
    end: { status: "success", ...(isOther && { value: end.data }) },
  };
}

/** Returns the draft of its stored form. */
export function draftOf({ end, formatted, cut, durationMs }: Quarantine): DraftResult {
  if (end.status !== "success") return { end, formatted, cut, durationMs };
  const { parts, text, data = text } = formatted;
  const value = parts === undefined ? (end.value ?? data) : contentParts(parts);
  return { end: { status: "success", data: value }, formatted, cut, durationMs };
}
