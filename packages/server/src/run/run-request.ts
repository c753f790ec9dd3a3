import type {
  ApprovalDecision,
  ClientOutput,
  JsonValue,
  Message,
  ModelSettings,
  RequireApproval,
  ToolDefinition,
} from "@capstan/core";

/** A server group that a request offers its model. Plain JSON. */
export interface OfferedGroup {
  readonly group: string;
  /** By bare name; null: all. */
  readonly allowedTools: readonly string[] | null;
  readonly requireApproval: RequireApprovalFilter | null;
}

/** What a request says of asking, by tool; it lifts a tool's own wish only. */
export type RequireApprovalFilter =
  | RequireApproval
  | { readonly always: readonly string[] | null; readonly never: readonly string[] | null };

/** What a run is to do. */
export interface RunRequest {
  readonly principal: string;
  /** `provider/model`, as the catalog gives it. */
  readonly model: string;
  readonly instructions: string | null;
  /** The history where the client holds it. Null: what the parent's lineage says. */
  readonly contextMessages: readonly Message[] | null;
  readonly inputMessages: readonly Message[];
  /** As Responses items, to show and to look up. */
  readonly inputItems: readonly JsonValue[];
  readonly parentId: string | null;
  readonly conversationId: string | null;
  readonly groups: readonly OfferedGroup[];
  readonly clientTools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly maxToolCalls: number | null;
  /** `inline`: the run waits for people and goes on. `deferred`: it closes, and a next one takes the calls over. */
  readonly approvals: "inline" | "deferred";
  /** Answers to the calls that the parent left open. */
  readonly answers: readonly ApprovalAnswerInput[];
  readonly outputs: readonly ClientOutput[];
  /** Carries the parent's unfinished turn on, whatever it left open. */
  readonly continuesParent: boolean;
  /** What the wire shows of the request; see responses. */
  readonly echo: JsonValue;
}

export interface ApprovalAnswerInput {
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
}

/** What is kept of a request, so that another process can take its run up. Plain JSON. */
export interface StoredRunRequest {
  readonly instructions: string | null;
  readonly groups: readonly OfferedGroup[];
  readonly clientTools: readonly ToolDefinition[];
  readonly settings: ModelSettings;
  readonly maxToolCalls: number | null;
  readonly approvals: "inline" | "deferred";
  /** It carries its parent's unfinished turn on. */
  readonly adopts: boolean;
  readonly echo: JsonValue;
}
