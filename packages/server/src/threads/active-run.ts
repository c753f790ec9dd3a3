import { isClosing, type RunRecord } from "@capstan/store";
import { RequestError } from "../http/errors.ts";
import { wireRunId, wireThreadId } from "./run-wire.ts";
import type { Thread } from "./thread.ts";

/** @throws RequestError 400 if the run is active: a thread has one active run at a time */
export function requireNoActiveRun({ conversation }: Thread, run: RunRecord): void {
  if (isClosing(run.status)) return;
  const thread = wireThreadId(conversation.id);
  const message = `Thread ${thread} already has an active run ${wireRunId(run.id)}. Wait until it has ended, or cancel it first.`;
  throw new RequestError({ param: "thread_id", code: "active_run", message });
}
