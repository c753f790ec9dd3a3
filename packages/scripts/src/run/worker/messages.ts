import type { JsonObject, JsonValue } from "@capstan/core";

/** A call as a worker is asked for it. */
export interface CallRequest {
  readonly function: string;
  readonly arguments: JsonObject;
  readonly wantsContext: boolean;
  readonly hasFormat: boolean;
}

/** What a script threw. */
export interface ScriptException {
  readonly type: string;
  readonly message: string;
  readonly traceback: string;
  /** Of the script's own folder, where it was thrown. */
  readonly file?: string;
  readonly line?: number;
  /** Where the script said itself what its failure is: `ToolError`. */
  readonly code?: string;
  readonly retryable?: boolean;
}

export type ResultPart =
  | { readonly type: "value"; readonly value: JsonValue }
  | {
      readonly type: "file";
      readonly name: string;
      readonly mimeType: string;
      readonly base64: string;
    };

/** What a call asks of the host while it runs. */
export type HostRequest = { readonly id: number } & (
  | { readonly what: "variables" }
  | { readonly what: "variable"; readonly name: string }
  | { readonly what: "call_tool"; readonly name: string; readonly arguments: JsonObject }
);

export type HostReply =
  | { readonly value: unknown }
  | {
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly retryable?: boolean;
      };
    };

/** How a call came out, in the script's words. */
export type CallAnswer =
  | { readonly type: "result"; readonly value: JsonValue; readonly text?: string }
  | { readonly type: "parts"; readonly parts: readonly ResultPart[] }
  | { readonly type: "error"; readonly error: ScriptException };

/** From the call, on descriptor 3. */
export type CallMessage =
  | CallAnswer
  | {
      readonly type: "progress";
      readonly message?: string;
      readonly done?: number;
      readonly total?: number;
    }
  | ({ readonly type: "ask" } & HostRequest)
  /** The worker's word: the call's process is gone, and wrote all it meant to. */
  | { readonly type: "over" };

/** From the worker, on descriptor 4. */
export type WorkerMessage =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly error: ScriptException }
  /** `clean`: nothing of the call is left. `crashed`: its process did not end as calls do. */
  | {
      readonly type: "ended";
      readonly clean: boolean;
      readonly crashed?: { readonly signal: number } | { readonly code: number };
    };
