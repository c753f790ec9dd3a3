import type { UserChangeEvent } from "@capstan/contract";
import { isClosing } from "../../records/run-status.ts";
import type { RunState } from "./run-states.ts";
import type { WriteContext } from "./write-context.ts";

type AboutCall = Extract<UserChangeEvent, { readonly type: `outcome.${string}` }>["type"];
type AboutApproval = Extract<UserChangeEvent, { readonly type: `approval.${string}` }>["type"];
type Context = Pick<WriteContext, "notes">;

/** Notes that a run has this status now. @param isNew whether this request creates it */
export function noteRun(
  { notes }: Context,
  { id: run, owner, conversationId: conversation, status }: RunState,
  isNew = false,
): void {
  const ended = isClosing(status) ? "run.ended" : "run.changed";
  const type = isNew ? "run.created" : ended;
  notes.push({ owner, event: { type, run, conversation, status } });
}

/** Notes that an approval of a run was requested or answered. */
export function noteApproval(
  { notes }: Context,
  {
    id: run,
    owner,
    conversationId: conversation,
  }: Pick<RunState, "id" | "owner" | "conversationId">,
  { type, approval }: { readonly type: AboutApproval; readonly approval: string },
): void {
  notes.push({ owner, event: { type, approval, run, conversation } });
}

/** Notes that the outcome of a run's call is unknown, or that a user reported it. */
export function noteOutcome(
  { notes }: Context,
  { id: run, owner, conversationId: conversation }: RunState,
  { type, call }: { readonly type: AboutCall; readonly call: string },
): void {
  notes.push({ owner, event: { type, call, run, conversation } });
}
