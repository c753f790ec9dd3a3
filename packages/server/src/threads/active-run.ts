import { isClosing, type RunRecord } from "@capstan/store";
import { conflict, RequestError } from "../http/errors.ts";
import { wireRunId, wireThreadId } from "./run-wire.ts";
import type { Thread } from "./thread.ts";

/** @throws RequestError 400 if the run is active: a thread has one active run at a time */
export function requireNoActiveRun({ conversation }: Thread, run: RunRecord): void {
  if (isClosing(run.status)) return;
  const thread = wireThreadId(conversation.id);
  const message = `Thread ${thread} already has an active run ${wireRunId(run.id)}. Wait until it has ended, or cancel it first.`;
  throw new RequestError({ param: "thread_id", code: "active_run", message });
}

/** Whether an ended run waits for outputs or approvals. A response that continues it sends them. */
export function hasOpenCalls({ result }: RunRecord): boolean {
  return (result?.waiting ?? []).length > 0;
}

/** @throws RequestError 409 if an ended run waits for outputs or approvals */
export function requireNoOpenCalls(run: RunRecord): void {
  if (hasOpenCalls(run))
    throw conflict(
      "The newest response of this conversation waits for outputs or approvals. Send these first with a response that continues it.",
    );
}
