import type { VariableSystem } from "../variables/variable-system.ts";
import type { Principal, RequestContext, ToolFile } from "./caller.ts";
import type { ToolEventData } from "./tool-event.ts";
import type { SettledToolResult } from "./tool-result.ts";

export type Progress = {
  readonly message?: string;
  readonly done?: number;
  readonly total?: number;
};

/** Where a tool speaks while it runs. It never waits, and the engine opens and closes it. */
export interface ToolOutput {
  write(text: string): void;
  progress(progress: Progress): void;
  /**
   * Something of the tool's own, for whoever watches: names that end in the stage are usual.
   *
   * @example output.event("image_generation.partial_image", { index: 0, image })
   */
  event<Name extends string>(name: Name, data: ToolEventData<Name>): void;
}

export interface CallToolOptions {
  /** Whether `$VAR_REF{{…}}` in the arguments is replaced; where not, it is text like any other. @default false */
  readonly references?: boolean;
}

/** What a tool is given beside its arguments. */
export interface ToolContext {
  readonly callId: string;
  /** `group.Tool`. */
  readonly toolId: string;
  /** Aborts when the call is cancelled, runs past its deadline, or the chain stops. */
  readonly signal: AbortSignal;
  readonly output: ToolOutput;
  /** The session's variables; writes belong to this call and are kept when it is settled. */
  readonly variables: VariableSystem;
  readonly principal: Principal;
  /** What the caller of this one call gave along; never another call's. */
  readonly request: RequestContext;
  /** The files this tool may see. */
  readonly files: readonly ToolFile[];
  /** The same for the same call, however often it is tried. */
  readonly idempotencyKey: string;
  /** Calls another tool through the same gate. If that call needs an approval, this one waits for it. */
  readonly callTool: (
    name: string,
    args: unknown,
    options?: CallToolOptions,
  ) => Promise<SettledToolResult>;
}
