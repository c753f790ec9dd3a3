import type { JsonObject } from "@capstan/core";
import type { ShownPreview, ShownVariable } from "@capstan/core/text";
import type { BuiltInType } from "../client-tools/tool-form.ts";

/*
 * Types of the Responses API's wire format.
 */

/** The prefix of an item id shows the item's type; `call_id` is the model's. */
export interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly JsonObject[];
  readonly logprobs: readonly unknown[];
}

/** A refusal to answer, in place of an answer. */
export interface RefusalPart {
  readonly type: "refusal";
  readonly refusal: string;
}

export interface ReasoningText {
  readonly type: "reasoning_text";
  readonly text: string;
}

export interface SummaryText {
  readonly type: "summary_text";
  readonly text: string;
}

export type ItemStatus = "in_progress" | "completed" | "incomplete";

export interface MessageOutput {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly status: ItemStatus;
  readonly content: readonly (OutputText | RefusalPart)[];
}

export interface ReasoningOutput {
  readonly id: string;
  readonly type: "reasoning";
  readonly status: ItemStatus;
  readonly summary: readonly SummaryText[];
  readonly content: readonly ReasoningText[];
  /** The receipt of a server call; see `call-receipts.ts`. */
  readonly encrypted_content?: string;
}

export interface FunctionCallOutput {
  readonly id: string;
  readonly type: "function_call";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly arguments: string;
}

export interface CustomToolCallOutput {
  readonly id: string;
  readonly type: "custom_tool_call";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly namespace?: string;
  readonly input: string;
}

/**
 * A call of a tool that the API defines. It also has the `action`, the `operation` or the
 * `arguments` of its type.
 */
export type BuiltInCallOutput = {
  readonly id: string;
  readonly type: `${BuiltInType}_call`;
  readonly status: ItemStatus;
  readonly call_id: string;
} & JsonObject;

/** A search by the server. Unlike the client's, it has no `call_id`. */
export interface ToolSearchCallItem {
  readonly id: string;
  readonly type: "tool_search_call";
  readonly status: ItemStatus;
  readonly call_id: null;
  readonly execution: "server";
  readonly arguments: JsonObject;
}

/** The tools that a search by the server found, as the request declares them. */
export interface ToolSearchOutputItem {
  readonly id: string;
  readonly type: "tool_search_output";
  readonly status: ItemStatus;
  readonly call_id: null;
  readonly execution: "server";
  readonly tools: readonly JsonObject[];
}

/** A tool of a server group, as `mcp_list_tools` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject;
  readonly annotations?: { readonly read_only: boolean };
}

/** Has no `error` if there is none: clients reject `null` here. */
export interface McpListToolsOutput {
  readonly id: string;
  readonly type: "mcp_list_tools";
  readonly server_label: string;
  readonly tools: readonly ListedTool[];
  readonly error?: string;
}

export interface McpCallError {
  readonly type: "mcp_tool_execution_error";
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
}

export interface McpCallOutput {
  readonly id: string;
  readonly type: "mcp_call";
  /** `incomplete`: a limit or a filter cut off its arguments, and it was not run. */
  readonly status: "in_progress" | "completed" | "failed" | "incomplete";
  readonly approval_request_id: string | null;
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly output: string | null;
  readonly error: McpCallError | null;
}

/** The status of a call of a hosted type. */
export type HostedStatus = ItemStatus | "failed";

/** A call of a tool that is bound to `web_search`. */
export interface WebSearchCallOutput {
  readonly id: string;
  readonly type: "web_search_call";
  readonly status: HostedStatus;
  readonly action?: {
    readonly type: "search";
    readonly query: string;
    readonly queries: readonly string[];
    /** The sources, if the request includes them. */
    readonly sources?: readonly { readonly type: "url"; readonly url: string }[];
  };
  /** The pages with their texts, if the request includes them. */
  readonly results?: readonly JsonObject[];
}

/** A call of a tool that is bound to `file_search`. */
export interface FileSearchCallOutput {
  readonly id: string;
  readonly type: "file_search_call";
  readonly status: HostedStatus;
  readonly queries: readonly string[];
  /** Null unless the request includes them. */
  readonly results: readonly JsonObject[] | null;
}

/** A call of a tool that is bound to `code_interpreter`. */
export interface CodeInterpreterCallOutput {
  readonly id: string;
  readonly type: "code_interpreter_call";
  readonly status: HostedStatus;
  readonly code: string;
  readonly container_id: string;
  /** Null unless the request includes them. */
  readonly outputs:
    | readonly (
        | { readonly type: "logs"; readonly logs: string }
        | { readonly type: "image"; readonly url: string }
      )[]
    | null;
}

/** An image in the result of a server's call, or a call of a tool that is bound to `image_generation`. */
export interface ImageGenerationCallOutput {
  readonly id: string;
  readonly type: "image_generation_call";
  readonly status: HostedStatus;
  readonly output_format: string;
  /** Base64. */
  readonly result: string | null;
}

export interface McpApprovalRequestOutput {
  readonly id: string;
  readonly type: "mcp_approval_request";
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  /**
   * The variables that the call reads, as an approval card shows them. This is an extension of the
   * API.
   */
  readonly variables?: readonly ShownVariable[];
  /** The effect of the call, such as the diff of a file. This is an extension of the API. */
  readonly preview?: ShownPreview;
}

export type OutputItem =
  | MessageOutput
  | ReasoningOutput
  | FunctionCallOutput
  | CustomToolCallOutput
  | BuiltInCallOutput
  | ToolSearchCallItem
  | ToolSearchOutputItem
  | McpListToolsOutput
  | McpCallOutput
  | ImageGenerationCallOutput
  | WebSearchCallOutput
  | FileSearchCallOutput
  | CodeInterpreterCallOutput
  | McpApprovalRequestOutput;

export interface WireUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

export interface WireError {
  readonly code: string;
  readonly message: string;
}

export type ResponseStatus =
  | "queued"
  | "in_progress"
  | "completed"
  | "failed"
  | "incomplete"
  | "cancelled";

/** The request fields that the response repeats, with all defaults filled in. */
export interface ResponseEcho {
  readonly background: boolean;
  readonly frequency_penalty: number;
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: number | null;
  readonly metadata: { readonly [key: string]: string };
  readonly parallel_tool_calls: boolean;
  readonly presence_penalty: number;
  readonly prompt_cache_key: string | null;
  readonly reasoning: { readonly effort: string | null; readonly summary: string | null } | null;
  readonly safety_identifier: string | null;
  readonly service_tier: string;
  readonly store: boolean;
  readonly temperature: number;
  readonly text: JsonObject;
  readonly tool_choice: string | JsonObject;
  readonly tools: readonly JsonObject[];
  readonly top_logprobs: number;
  readonly top_p: number;
  readonly truncation: string;
}

/** All members are always present; times are in seconds. */
export interface ResponseObject extends ResponseEcho {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly previous_response_id: string | null;
  /** Absent if there is none: clients reject `null` here. */
  readonly conversation?: { readonly id: string };
  readonly error: WireError | null;
  readonly incomplete_details: { readonly reason: "max_output_tokens" | "content_filter" } | null;
  readonly usage: WireUsage | null;
}

type LifecycleType = "created" | "queued" | "in_progress" | "completed" | "failed" | "incomplete";
type Logprobs = readonly unknown[];

/** An event about a part of an item. */
type PartEvent =
  | {
      readonly type: "response.content_part.added" | "response.content_part.done";
      readonly part: OutputText | RefusalPart | ReasoningText;
    }
  | {
      readonly type: "response.output_text.delta";
      readonly delta: string;
      readonly logprobs: Logprobs;
    }
  | {
      readonly type: "response.output_text.annotation.added";
      readonly annotation_index: number;
      readonly annotation: JsonObject;
    }
  | {
      readonly type: "response.output_text.done";
      readonly text: string;
      readonly logprobs: Logprobs;
    }
  | { readonly type: "response.refusal.delta"; readonly delta: string }
  | { readonly type: "response.refusal.done"; readonly refusal: string }
  | { readonly type: "response.reasoning_text.delta"; readonly delta: string }
  | { readonly type: "response.reasoning_text.done"; readonly text: string };

/** An event about the summary of a reasoning item. */
type SummaryEvent =
  | {
      readonly type:
        | "response.reasoning_summary_part.added"
        | "response.reasoning_summary_part.done";
      readonly part: SummaryText;
    }
  | { readonly type: "response.reasoning_summary_text.delta"; readonly delta: string }
  | { readonly type: "response.reasoning_summary_text.done"; readonly text: string };

/** An event about an item, without its position. */
export type ItemEvent =
  | (SummaryEvent & { readonly summary_index: number })
  | (PartEvent & { readonly content_index: number })
  | { readonly type: "response.function_call_arguments.delta"; readonly delta: string }
  | {
      readonly type: "response.function_call_arguments.done";
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: "response.custom_tool_call_input.delta"; readonly delta: string }
  | { readonly type: "response.custom_tool_call_input.done"; readonly input: string }
  | {
      readonly type: `response.image_generation_call.${"in_progress" | "generating" | "completed"}`;
    }
  | {
      readonly type: "response.image_generation_call.partial_image";
      readonly partial_image_index: number;
      readonly partial_image_b64: string;
      readonly output_format: string;
    }
  | {
      readonly type: `response.${"web_search" | "file_search"}_call.${"in_progress" | "searching" | "completed"}`;
    }
  | {
      readonly type: `response.code_interpreter_call.${"in_progress" | "interpreting" | "completed"}`;
    }
  | { readonly type: "response.code_interpreter_call_code.delta"; readonly delta: string }
  | { readonly type: "response.code_interpreter_call_code.done"; readonly code: string }
  | { readonly type: `response.mcp_list_tools.${"in_progress" | "completed" | "failed"}` }
  | { readonly type: `response.mcp_call.${"in_progress" | "completed" | "failed"}` }
  | { readonly type: "response.mcp_call_arguments.delta"; readonly delta: string }
  | { readonly type: "response.mcp_call_arguments.done"; readonly arguments: string };

/** An event that has no number yet. */
export type UnnumberedEvent =
  | { readonly type: `response.${LifecycleType}`; readonly response: ResponseObject }
  | {
      readonly type: "response.output_item.added" | "response.output_item.done";
      readonly output_index: number;
      readonly item: OutputItem;
    }
  | (ItemEvent & { readonly item_id: string; readonly output_index: number })
  /** The error is both flat and nested, because clients read one or the other form. */
  | {
      readonly type: "error";
      readonly code: string;
      readonly message: string;
      readonly param: null;
      readonly error: {
        readonly type: string;
        readonly code: string;
        readonly message: string;
        readonly param: null;
      };
    };

/** Numbered from 0, without a gap, over the whole response. */
export type ResponseStreamEvent = UnnumberedEvent & { readonly sequence_number: number };
