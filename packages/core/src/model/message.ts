import type { ContentPart } from "./content-part.ts";
import type { JsonObject } from "../base/json.ts";

/** A tool call as a model wrote it; `arguments` is the raw text. OpenAI Chat's form. */
export interface ToolCallRequest {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  /** What the provider wants to see again with this call, e.g. Gemini's thought signature. */
  readonly providerMetadata?: JsonObject;
}

/** A piece of a model's reasoning, carried back to it as it came. */
export interface ReasoningPart {
  readonly text: string;
  readonly providerMetadata?: JsonObject;
}

export interface SystemMessage {
  readonly role: "system" | "developer";
  readonly content: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly ContentPart[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: readonly ReasoningPart[];
  readonly tool_calls?: readonly ToolCallRequest[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string;
  /** Pictures and files a tool returned, for models that can look at them. */
  readonly parts?: readonly ContentPart[];
}

/** One message of a conversation, in OpenAI Chat's form, the one that most programs keep. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
