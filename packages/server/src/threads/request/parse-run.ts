import type { JsonValue, ModelSettings } from "@capstan/core";
import type { ToolChoice } from "@capstan/core/host";
import { z } from "zod";
import { badRequest, checked, isObject, unsupportedValue, wrongType } from "../../http/errors.ts";
import { parseResponseFormat } from "../../http/fields/parse-response-format.ts";
import { withoutNulls } from "../../http/read-body.ts";
import {
  objectBody,
  rejectUnknown,
  samplingFields,
  type WireFormat,
  wireFormat,
} from "./fields.ts";
import { type CreatedMessage, parseMessages } from "./parse-message.ts";
import { type ParsedThread, parseThread } from "./parse-thread.ts";
import { type AssistantTools, parseAssistantTools, type ToolSources } from "./parse-tools.ts";
import { parseToolResources, type ToolResources } from "./tool-resources.ts";

const runShape = {
  ...samplingFields,
  assistant_id: z.string().min(1),
  additional_instructions: z.string().max(256_000).nullish(),
  additional_messages: z.unknown().optional(),
  max_completion_tokens: z.int().min(1).nullish(),
  max_prompt_tokens: z.int().min(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  tool_choice: z.unknown().optional(),
  truncation_strategy: z
    .object({
      type: z.enum(["auto", "last_messages"]),
      last_messages: z.int().min(1).nullish(),
    })
    .nullish(),
};
const runSchema = z.object(runShape);

const { additional_messages: _messages, additional_instructions: _text, ...sharedShape } = runShape;
const threadRunSchema = z.object({
  ...sharedShape,
  thread: z.unknown().optional(),
  tool_resources: z.unknown().optional(),
});

/** A parsed request for a run. A field that is undefined has the assistant's value. */
export interface ParsedRun {
  readonly assistantId: string;
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  readonly additionalInstructions: string | undefined;
  readonly additionalMessages: readonly CreatedMessage[];
  readonly tools: AssistantTools | undefined;
  readonly choice: { readonly wire: JsonValue; readonly value: WireChoice } | undefined;
  readonly responseFormat: WireFormat | undefined;
  readonly truncation: {
    readonly type: "auto" | "last_messages";
    readonly last_messages: number | null;
  };
  readonly maxPromptTokens: number | null;
  readonly maxCompletionTokens: number | null;
  readonly parallelToolCalls: boolean;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly reasoningEffort: string | undefined;
  readonly metadata: { readonly [key: string]: string };
  readonly stream: boolean;
}

/** A tool choice: a mode, a function, or a hosted type. */
export type WireChoice = ToolChoice | { readonly type: "file_search" | "code_interpreter" };

/** Parses the body of `POST /v1/threads/{id}/runs`. @throws RequestError */
export function parseRun(body: unknown, sources: ToolSources): ParsedRun {
  const given = objectBody(body);
  rejectUnknown(given, runShape);
  return runOf(checked(runSchema, given, ""), sources);
}

/** A parsed request for a thread and a run of it. */
export interface ParsedThreadRun {
  readonly run: ParsedRun;
  readonly thread: ParsedThread;
}

/** Parses the body of `POST /v1/threads/runs`. @throws RequestError */
export function parseThreadRun(body: unknown, sources: ToolSources): ParsedThreadRun {
  const given = objectBody(body);
  rejectUnknown(given, threadRunSchema.shape);
  const parsed = checked(threadRunSchema, given, "");
  const thread = parseThread(parsed.thread ?? {}, "thread");
  // The thread keeps the resources of its first run, which has none of its own.
  const resources = parseToolResources(parsed.tool_resources);
  return {
    run: runOf(parsed, sources),
    thread: { ...thread, resources: mergedResources(thread.resources, resources) },
  };
}

function mergedResources(
  ofThread: ToolResources | null,
  ofRun: ToolResources | null,
): ToolResources | null {
  return ofThread === null || ofRun === null ? (ofRun ?? ofThread) : { ...ofThread, ...ofRun };
}

type GivenRun = Partial<z.output<typeof runSchema>> & { readonly assistant_id: string };

function runOf(given: GivenRun, sources: ToolSources): ParsedRun {
  const truncation = given.truncation_strategy ?? { type: "auto" };
  const count = truncation.last_messages ?? null;
  if (truncation.type === "last_messages" && count === null)
    throw badRequest(
      "truncation_strategy.last_messages",
      "Missing required parameter: 'truncation_strategy.last_messages'. Send the number of messages that the run reads.",
    );
  return {
    assistantId: given.assistant_id,
    model: given.model ?? undefined,
    instructions: given.instructions ?? undefined,
    additionalInstructions: given.additional_instructions ?? undefined,
    additionalMessages: parseMessages(given.additional_messages, "additional_messages"),
    tools: given.tools == null ? undefined : parseAssistantTools(given.tools, sources),
    choice: parseChoice(given.tool_choice),
    responseFormat: wireFormat(given.response_format),
    truncation: { type: truncation.type, last_messages: truncation.type === "auto" ? null : count },
    maxPromptTokens: given.max_prompt_tokens ?? null,
    maxCompletionTokens: given.max_completion_tokens ?? null,
    parallelToolCalls: given.parallel_tool_calls ?? true,
    temperature: given.temperature ?? undefined,
    topP: given.top_p ?? undefined,
    reasoningEffort: given.reasoning_effort ?? undefined,
    metadata: given.metadata ?? {},
    stream: given.stream ?? false,
  };
}

const modes = ["none", "auto", "required"] as const;

function parseChoice(given: unknown): ParsedRun["choice"] {
  if (given == null) return undefined;
  const at = "tool_choice";
  if (typeof given === "string") {
    const mode = modes.find((known) => known === given);
    if (mode === undefined) throw unsupportedValue(at, given, modes);
    return { wire: mode, value: mode };
  }
  if (!isObject(given)) throw wrongType(at, "a string or an object", given);
  const { type, function: chosen } = given;
  if (type === "file_search" || type === "code_interpreter")
    return { wire: { type }, value: { type } };
  if (type !== "function")
    throw unsupportedValue(`${at}.type`, type, ["function", "file_search", "code_interpreter"]);
  const { name } = checked(z.object({ name: z.string().min(1) }), chosen, `${at}.function`);
  return { wire: { type, function: { name } }, value: { type, name } };
}

/** Returns the settings of the model for a run. */
export function modelSettings({
  choice,
  format,
  ...given
}: {
  readonly choice: ToolChoice | undefined;
  readonly format: WireFormat;
  readonly parallelToolCalls: boolean;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly reasoningEffort: string | null;
}): ModelSettings {
  const responseFormat = format === "auto" ? undefined : parseResponseFormat(format);
  return withoutNulls({ ...given, toolChoice: choice, responseFormat });
}
