import type { StoreWrite } from "@capstan/store";
import type { RunRequest } from "./run-request.ts";

/** Moves the conversation on to its new run, and names it after its first message. */
export function conversationWrites(
  runId: string,
  { principal: owner, conversationId: id, parentId: from, title }: RunRequest,
): readonly StoreWrite[] {
  if (id === null) return [];
  const moved: StoreWrite = { type: "move-head", owner, id, from, to: runId };
  if (title === null) return [moved];
  return [moved, { type: "update-conversation", owner, id, update: { title } }];
}
