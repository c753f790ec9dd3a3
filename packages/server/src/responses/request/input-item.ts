import type { JsonObject } from "@capstan/core";
import type { StoredData } from "../../http/stored-data.ts";

/*
 * What a request brings, normalised: a table of types. Every null is gone, `status` is filled
 * in, text is always in parts. Otherwise it is as the client wrote it.
 */

export type InputContent =
  | { readonly type: "input_text"; readonly text: string }
  | {
      readonly type: "output_text";
      readonly text: string;
      readonly annotations: readonly unknown[];
      readonly logprobs: readonly unknown[];
    }
  | { readonly type: "refusal"; readonly refusal: string }
  | {
      readonly type: "input_image";
      readonly image_url: string | StoredData;
      readonly detail: "low" | "high" | "auto";
    }
  | {
      readonly type: "input_file";
      readonly filename?: string;
      /** Base64, or a `data:` URL. */
      readonly file_data?: string | StoredData;
      readonly file_url?: string | StoredData;
    }
  | { readonly type: "input_video"; readonly video_url: string | StoredData };

interface Identified {
  readonly id?: string;
}

interface WithStatus extends Identified {
  readonly status: string;
}

export interface MessageInput extends WithStatus {
  readonly type: "message";
  readonly role: "user" | "assistant" | "system" | "developer";
  readonly content: readonly InputContent[];
  readonly phase?: string;
}

export interface FunctionCallInput extends WithStatus {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly namespace?: string;
}

export interface CustomCallInput extends WithStatus {
  readonly type: "custom_tool_call";
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

export interface CallOutputInput extends WithStatus {
  readonly type: "function_call_output" | "custom_tool_call_output";
  readonly call_id: string;
  readonly output: string | readonly InputContent[];
}

export interface ReasoningInput extends Identified {
  readonly type: "reasoning";
  readonly summary: readonly { readonly text: string }[];
  readonly content?: readonly { readonly text: string }[];
  readonly encrypted_content?: string;
}

export interface McpCallInput extends WithStatus {
  readonly type: "mcp_call";
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly output?: string;
  readonly error?: unknown;
  readonly approval_request_id?: string;
}

export interface McpListToolsInput extends Identified {
  readonly type: "mcp_list_tools";
  readonly server_label: string;
  readonly tools: readonly unknown[];
}

export interface ApprovalRequestInput {
  readonly type: "mcp_approval_request";
  readonly id: string;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
}

export interface ApprovalResponseInput extends Identified {
  readonly type: "mcp_approval_response";
  readonly approval_request_id: string;
  readonly approve: boolean;
  readonly reason?: string;
}

export interface ItemReferenceInput {
  readonly type: "item_reference";
  readonly id: string;
}

/** An item of a type that means nothing here: kept as it came, and not shown to a model. */
export interface CarriedInput {
  readonly type: "carried";
  readonly item: JsonObject;
}

export type InputItem =
  | MessageInput
  | FunctionCallInput
  | CustomCallInput
  | CallOutputInput
  | ReasoningInput
  | McpCallInput
  | McpListToolsInput
  | ApprovalRequestInput
  | ApprovalResponseInput
  | ItemReferenceInput
  | CarriedInput;
