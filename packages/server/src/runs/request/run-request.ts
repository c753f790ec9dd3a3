import type { JsonValue, Message, Variable } from "@capstan/core";
import type { NewRun, RequestKey, StoredRequest } from "@capstan/store";

/** The request of a run. */
export interface RunRequest extends Omit<StoredRequest, "adopts" | "context" | "version"> {
  /** The client's own earlier messages, which come after those of the run's ancestors. */
  readonly context: readonly Message[];
  readonly principal: string;
  /** `provider/model`, the id from the model catalog. */
  readonly model: string;
  readonly inputMessages: readonly Message[];
  /** The input as Responses items, for display and references. */
  readonly inputItems: readonly JsonValue[];
  /** The bytes to which the items and messages refer. */
  readonly blobs?: NewRun["blobs"];
  /** Initial variables, if they are not the parent's. */
  readonly variables?: readonly Variable[];
  readonly parentId: string | null;
  /** The session that a run without a parent continues. @default the parent's, or a new one */
  readonly sessionId?: string | undefined;
  /** Keys under which the session is found by its newest run. @default none */
  readonly sessionKeys?: readonly RequestKey[];
  readonly conversationId: string | null;
  /** The conversation's newest run, which the new one replaces. @default `parentId` */
  readonly conversationHead?: string | null;
  /** The title for a conversation that has none yet. */
  readonly title: string | null;
}
