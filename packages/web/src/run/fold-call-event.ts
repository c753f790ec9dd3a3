import { newCall, type CallState } from "./call-state.ts";
import { type RunState, updateCall } from "./run-state.ts";
import type { RunEventOf } from "./run-event.ts";
import { chatTexts } from "../texts/chat.ts";

type CallEvent =
  | RunEventOf<"call.proposed">
  | RunEventOf<"approval.requested">
  | RunEventOf<"approval.answered">
  | RunEventOf<"client_call.waiting">
  | RunEventOf<"call.started">
  | RunEventOf<"call.progress">
  | RunEventOf<"call.event">
  | RunEventOf<"review.requested">
  | RunEventOf<"review.answered">
  | RunEventOf<"call.settled">;

/** The maximum number of notes of a call; older notes are dropped. */
const noteLimit = 50;

/** Applies an event to the state of its call. */
export function foldCallEvent(state: RunState, event: CallEvent): RunState {
  if (event.type === "call.proposed") return propose(state, event);
  const known = announce(state, event);
  return updateCall(known, event.callId, (call) => step(call, event));
}

function step(
  call: CallState,
  event: Exclude<CallEvent, { readonly type: "call.proposed" }>,
): CallState {
  switch (event.type) {
    case "approval.requested":
      return { ...call, phase: "asking", approval: event.approval, args: event.approval.args };
    case "approval.answered":
      return {
        ...call,
        phase: call.phase === "asking" ? "answered" : call.phase,
        decision: event.decision,
        edited: event.args !== undefined,
        args: event.args ?? call.args,
      };
    case "client_call.waiting":
      return { ...call, phase: "client" };
    case "call.started":
      return { ...call, phase: "running", startedAt: event.at };
    case "call.progress":
      return { ...call, progress: event.progress };
    case "call.event":
      return {
        ...call,
        notes: [...call.notes, { name: event.name, data: event.data }].slice(-noteLimit),
      };
    case "review.requested":
      return { ...call, phase: "reviewing", review: event.review };
    case "review.answered":
      return {
        ...call,
        phase: call.phase === "reviewing" ? "answered" : call.phase,
        reviewed: {
          outcome: event.outcome,
          by: event.by,
          ...(event.reason !== undefined && { reason: event.reason }),
        },
      };
    case "call.settled":
      return {
        ...call,
        phase: "settled",
        status: event.status,
        result: event.result,
      };
  }
}

function propose(state: RunState, event: RunEventOf<"call.proposed">): RunState {
  const before = state.calls[event.callId];
  const call: CallState = {
    ...(before ?? newCall(event.callId, event.name)),
    name: event.name,
    phase: "proposed",
    groupTitle: event.groupTitle ?? null,
    parentCallId: event.parentCallId ?? null,
    argumentsText: event.argumentsText,
    args: event.args ?? null,
    repairs: event.repairs,
  };
  return place(
    { ...state, calls: { ...state.calls, [event.callId]: call } },
    call,
    before !== undefined,
  );
}

/** A run that continues another run can report calls that the earlier run proposed. */
function announce(
  state: RunState,
  event: Exclude<CallEvent, { readonly type: "call.proposed" }>,
): RunState {
  if (state.calls[event.callId] !== undefined) return state;
  const request =
    event.type === "approval.requested"
      ? event.approval
      : event.type === "review.requested"
        ? event.review
        : null;
  const call: CallState = {
    ...newCall(event.callId, request?.toolName ?? chatTexts.turn.earlierCall),
    groupTitle: request?.groupTitle ?? null,
  };
  return place({ ...state, calls: { ...state.calls, [event.callId]: call } }, call, false);
}

/** Places a sub-call under its parent, and any other call in the model's text. */
function place(state: RunState, call: CallState, placed: boolean): RunState {
  if (placed) return state;
  if (call.parentCallId !== null && state.calls[call.parentCallId] !== undefined) {
    return updateCall(state, call.parentCallId, (parent) => ({
      ...parent,
      children: [...parent.children, call.callId],
    }));
  }
  return { ...state, blocks: [...state.blocks, { type: "call", id: call.callId }] };
}
