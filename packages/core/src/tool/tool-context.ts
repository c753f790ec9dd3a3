import type { Variable } from "../variables/variable.ts";
import type { VariableSystem } from "../variables/variable-system.ts";
import type { Principal, RequestContext, ToolFile } from "./caller.ts";
import type { SettledToolResult } from "./tool-result.ts";
import type { JsonValue } from "../base/json.ts";
import type { ImagePart } from "../model/content-part.ts";
import type { ArgumentConditions } from "../arguments/argument-conditions.ts";

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

interface CallToolOptions {
  /** Whether `$VAR_REF{{…}}` in the arguments is replaced; where not, it is text like any other. @default false */
  readonly references?: boolean;
}

/**
 * Paths and hosts that deny rules name, as tests of a path or a URL. A tool that opens files or
 * connects to hosts checks each one with `deniesPath` or `deniesUrl`, also those that its arguments
 * do not name. Plain JSON.
 */
export interface DeniedResources {
  readonly paths: readonly ArgumentConditions[string][];
  readonly hosts: readonly ArgumentConditions[string][];
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
  /**
   * Returns a variable, also if it was evicted: as it was approved if the tool's `readsVariables`
   * names it, else as it is now. `undefined` if there is none.
   */
  readonly readVariable: (name: string) => Promise<Variable | undefined>;
  readonly principal: Principal;
  /** What the caller of this one call gave along; never another call's. */
  readonly request: RequestContext;
  /** The files this tool may see. */
  readonly files: readonly ToolFile[];
  /** Returns the paths and hosts that the rules in effect deny, whichever tool reads them. */
  readonly denied: () => DeniedResources;
  /** The same for the same call, however often it is tried. */
  readonly idempotencyKey: string;
  /** Calls another tool through the same gate. If that call needs an approval, this one waits for it. */
  readonly callTool: (
    name: string,
    args: unknown,
    options?: CallToolOptions,
  ) => Promise<SettledToolResult>;
}

interface NoData {
  readonly [name: string]: never;
}

/** Events of a tool's own whose form is known to readers. Any other name takes any plain data. */
export interface ToolEvents {
  readonly "image_generation.in_progress": NoData;
  readonly "image_generation.generating": NoData;
  /** The picture as far as it is; `index` counts from 0. */
  readonly "image_generation.partial_image": { readonly index: number; readonly image: ImagePart };
  readonly "image_generation.completed": { readonly image?: ImagePart };
  readonly "file_search.in_progress": { readonly queries?: readonly string[] };
  readonly "file_search.searching": NoData;
  readonly "file_search.completed": { readonly results?: readonly FileSearchHit[] };
}

interface FileSearchHit {
  readonly file: string;
  readonly text?: string;
  /** From 0 to 1. */
  readonly score?: number;
}

type ToolEventData<Name extends string> = Name extends keyof ToolEvents
  ? ToolEvents[Name]
  : JsonValue;
