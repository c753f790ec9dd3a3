import type { NewRun } from "@capstan/store";
import type {
  ApprovalDecision,
  HistoryMode,
  JsonValue,
  Message,
  ModelSettings,
  ToolDefinition,
  Variable,
} from "@capstan/core";
import type { ClientOutput } from "@capstan/core/host";
import type { ServerGroup } from "./offered-tools.ts";

/** A call that a person makes, not a model. */
export interface DirectCall {
  /** `group.Tool`. */
  readonly toolId: string;
  /** As JSON. */
  readonly arguments: string;
}

/** What is kept of a request, so that another process can take its run up. Plain JSON. */
export interface StoredRunRequest {
  readonly instructions: string | null;
  /** The tool groups that the model is offered. */
  readonly servers: readonly ServerGroup[];
  readonly clientTools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly maxToolCalls: number | null;
  /** `inline`: the run waits for people and goes on. `deferred`: it closes, and a next one takes the calls over. */
  readonly approvals: "inline" | "deferred";
  /** The same for the client's own calls: `inline` runs wait for `submit_tool_outputs`. */
  readonly toolOutputs: "inline" | "deferred";
  /** How the turns before it are shown to the model, where the server holds them. */
  readonly history: HistoryMode;
  /** What the client says was said before this turn, after what the run's ancestors say. */
  readonly context: readonly Message[];
  /** What the client's own tools answered to the calls that the parent left open. */
  readonly outputs: readonly ClientOutput[];
  /** Answers to the questions that the parent left open. */
  readonly answers: readonly { readonly approvalId: string; readonly decision: ApprovalDecision }[];
  /** Carries the parent's unfinished turn on, whatever it left open. */
  readonly continuesParent: boolean;
  /** It carries its parent's unfinished turn on. */
  readonly adopts: boolean;
  /** How the Responses API shows the run. */
  readonly wire: JsonValue;
  /** A person's own call: all that the run does. No model is asked. */
  readonly call?: DirectCall;
}

/** What a run is to do. */
export interface RunRequest extends Omit<StoredRunRequest, "adopts"> {
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
