import type { ServerGroup } from "@capstan/store";
import type { HistoryMode, JsonObject, ModelSettings, ToolDefinition } from "@capstan/core";
import type { ResponseEcho } from "../projection/wire.ts";
import type { InputItem } from "./input-item.ts";

export interface RequestTools {
  /** What is offered to the model and run by the client: its functions, and its custom tools as functions of one `input`. */
  readonly client: readonly ToolDefinition[];
  /** Which of them are custom tools. */
  readonly customTools: readonly string[];
  readonly servers: readonly ServerGroup[];
  /** Tools of other types: echoed, and otherwise ignored. */
  readonly carried: readonly JsonObject[];
}

export type ChosenTool =
  | { readonly type: "function"; readonly name: string }
  | { readonly type: "server"; readonly label: string; readonly name?: string };

export type RequestToolChoice =
  | { readonly type: "auto" | "none" | "required" }
  | ChosenTool
  /** Nothing outside the list may be called. */
  | {
      readonly type: "allowed";
      readonly mode: "auto" | "none" | "required";
      readonly tools: readonly ChosenTool[];
    };

/** `POST /v1/responses`, understood. What was not given is absent. */
export interface CreateRequest {
  readonly model?: string;
  readonly input: readonly InputItem[];
  readonly instructions?: string;
  readonly previousResponseId?: string;
  readonly conversation?: string;
  readonly tools: RequestTools;
  readonly toolChoice: RequestToolChoice;
  /** Calls of server tools over the whole response. */
  readonly maxToolCalls?: number;
  /** For the model: sampling, format, reasoning, and the tool choice where the model can be told it. */
  readonly settings: ModelSettings;
  readonly truncation: "auto" | "disabled";
  readonly store: boolean;
  readonly background: boolean;
  readonly stream: boolean;
  /** What is included in items on demand, e.g. `reasoning.encrypted_content`. */
  readonly include: readonly string[];
  readonly metadata: { readonly [key: string]: string };
  readonly promptCacheKey?: string;
  /** Our own: the response waits for a person instead of ending with the question. */
  readonly approvals?: "inline";
  /** Our own: the response waits for its client's outputs, which are submitted to its run. */
  readonly toolOutputs?: "inline";
  /** Our own: how earlier turns that the server holds are shown to the model. */
  readonly history?: HistoryMode;
  /** What the response repeats of the request. */
  readonly echo: ResponseEcho;
}
