import type { Variable } from "../variables/variable.ts";
import type { VariableSystem } from "../variables/variable-system.ts";
import type { Principal, RequestContext, RequestTool, ToolFile } from "./caller.ts";
import type { SettledToolResult } from "./tool-result.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { ImagePart } from "../model/content-part.ts";
import type { ArgumentConditions } from "../arguments/argument-conditions.ts";

/** The progress of a running tool. `done` of `total` in any unit. */
export type Progress = {
  readonly message?: string;
  readonly done?: number;
  readonly total?: number;
};

/**
 * The output of a running tool. Writing never waits, and the engine opens and closes the output.
 */
export interface ToolOutput {
  write(text: string): void;
  progress(progress: Progress): void;
  /**
   * Reports a custom event to listeners. By convention, the name ends in the stage.
   *
   * @example output.event("image_generation.partial_image", { index: 0, image })
   */
  event<Name extends string>(name: Name, data: ToolEventData<Name>): void;
}

interface CallToolOptions {
  /**
   * Whether `$VAR_REF{{…}}` in the arguments is replaced; if not, it is ordinary text. @default
   * false
   */
  readonly references?: boolean;
}

/**
 * The paths and hosts that deny rules name, as tests of a path or a URL. A tool that opens files or
 * connects to hosts checks each one with `deniesPath` or `deniesUrl`, even if its arguments do not
 * name it. Plain JSON.
 */
export interface DeniedResources {
  readonly paths: readonly ArgumentConditions[string][];
  readonly hosts: readonly ArgumentConditions[string][];
  /** Paths that no tool may change, although they may be read. Absent: none. */
  readonly changes?: readonly ArgumentConditions[string][];
}

/** The context that a tool gets in addition to its arguments. */
export interface ToolContext {
  readonly callId: string;
  /** `group.Tool`. */
  readonly toolId: string;
  /**
   * The tool as the request declares it, with all its options. Undefined if the request does not
   * declare it: a program, an agent or a user's direct call offers it.
   */
  readonly tool: RequestTool | undefined;
  /** Aborts when the call is cancelled, its deadline passes, or the chain stops. */
  readonly signal: AbortSignal;
  readonly output: ToolOutput;
  /** The session's variables. Writes belong to this call, and are stored when it is settled. */
  readonly variables: VariableSystem;
  /**
   * Returns a variable, even if it was evicted or its value is not in memory, or `undefined` if
   * there is none. The value is the approved one if the tool's `readsVariables` names the variable,
   * else the current one.
   */
  readonly readVariable: (name: string) => Promise<Variable | undefined>;
  readonly principal: Principal;
  /** Data from the caller of this call. Other calls cannot read it. */
  readonly request: RequestContext;
  /** The files that this tool may read: its own, those of its type, and those for all tools. */
  readonly files: readonly ToolFile[];
  /** Returns the paths and hosts that the current rules deny, for any tool. */
  readonly denied: () => DeniedResources;
  /**
   * The digest of the effect that the approval request showed, from the tool's `preview`. If the
   * user edited the arguments, the digest of their effect at the time of the answer. A tool whose
   * effect depends on data that can change compares it with `digest(text)` of the effect that it is
   * about to have. Absent if no effect was shown.
   */
  readonly approvedEffect?: string;
  /** The same for all attempts of the same call. */
  readonly idempotencyKey: string;
  /**
   * Calls another tool through the same gate. If that call needs an approval, this one waits for
   * it.
   */
  readonly callTool: (
    name: string,
    args: unknown,
    options?: CallToolOptions,
  ) => Promise<SettledToolResult>;
}

interface NoData {
  readonly [name: string]: never;
}

/**
 * Custom events that clients support. The host adds the stages that a tool omits. Events with any
 * other name may have any plain data.
 */
export interface ToolEvents {
  readonly "image_generation.in_progress": NoData;
  readonly "image_generation.generating": NoData;
  /** The image so far; `index` counts from 0. */
  readonly "image_generation.partial_image": { readonly index: number; readonly image: ImagePart };
  readonly "image_generation.completed": { readonly image?: ImagePart };
  readonly "file_search.in_progress": { readonly queries?: readonly string[] };
  readonly "file_search.searching": NoData;
  readonly "file_search.completed": { readonly results?: readonly FileSearchHit[] };
  readonly "web_search.in_progress": NoData;
  readonly "web_search.searching": {
    readonly query?: string;
    readonly queries?: readonly string[];
  };
  readonly "web_search.completed": {
    readonly sources?: readonly { readonly url: string }[];
    readonly results?: readonly WebSearchHit[];
  };
  readonly "code_interpreter.in_progress": NoData;
  /** A piece of the code, as it is written. */
  readonly "code_interpreter.code": { readonly delta: string };
  readonly "code_interpreter.interpreting": NoData;
  readonly "code_interpreter.completed": NoData;
}

interface WebSearchHit {
  readonly url: string;
  readonly title?: string;
  /** The part of the page that matches. */
  readonly text?: string;
}

interface FileSearchHit {
  /** The name of the file. */
  readonly file: string;
  readonly fileId?: string;
  readonly text?: string;
  readonly attributes?: JsonObject;
  /** From 0 to 1. */
  readonly score?: number;
}

type ToolEventData<Name extends string> = Name extends keyof ToolEvents
  ? ToolEvents[Name]
  : JsonValue;
