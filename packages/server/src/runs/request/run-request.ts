import type { JsonValue, Message, Variable } from "@capstan/core";
import type { NewRun, StoredRequest } from "@capstan/store";

/** What a run is to do. */
export interface RunRequest extends Omit<StoredRequest, "adopts" | "context" | "version"> {
  /** What the client says was said before this turn, after what the run's ancestors say. */
  readonly context: readonly Message[];
  readonly principal: string;
  /** `provider/model`, as the catalog gives it. */
  readonly model: string;
  readonly inputMessages: readonly Message[];
  /** As Responses items, to show and to look up. */
  readonly inputItems: readonly JsonValue[];
  /** Bytes to which the items and messages refer. */
  readonly blobs?: NewRun["blobs"];
  /** Variables that it begins with, where they are not its parent's. */
  readonly variables?: readonly Variable[];
  readonly parentId: string | null;
  readonly conversationId: string | null;
  /** For a conversation that has no title yet. */
  readonly title: string | null;
}
