import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { CallOptions } from "../stream/part-model.ts";
import { chatMessages } from "./chat-messages.ts";
import { fieldsOf } from "./fields.ts";

/** Returns the body of a streamed request to Chat Completions. Fields without a value are `undefined`. */
export function chatBody(
  options: CallOptions,
  { providerId, modelName }: { readonly providerId: string; readonly modelName: string },
): object {
  const { tools, toolChoice, providerOptions } = options;
  const { textVerbosity, strictJsonSchema, ...own } = fieldsOf(providerOptions?.[providerId]);
  return {
    model: modelName,
    messages: chatMessages(options.prompt, providerId),
    ...(tools !== undefined && { tools: tools.flatMap(chatTool) }),
    tool_choice: toolChoice && chatChoice(toolChoice),
    response_format: chatFormat(options.responseFormat, strictJsonSchema),
    max_tokens: options.maxOutputTokens,
    temperature: options.temperature,
    top_p: options.topP,
    frequency_penalty: options.frequencyPenalty,
    presence_penalty: options.presencePenalty,
    stop: options.stopSequences,
    seed: options.seed,
    reasoning_effort: options.reasoning,
    verbosity: textVerbosity,
    ...own,
    stream: true,
    stream_options: { include_usage: true },
  };
}

type Tool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];
type Choice = NonNullable<LanguageModelV4CallOptions["toolChoice"]>;

function chatTool(tool: Tool): readonly object[] {
  if (tool.type === "provider") return [];
  const { name, description, inputSchema: parameters, strict } = tool;
  return [{ type: "function", function: { name, description, parameters, strict } }];
}

function chatChoice(choice: Choice): object | string {
  if (choice.type !== "tool") return choice.type;
  return { type: "function", function: { name: choice.toolName } };
}

function chatFormat(
  format: LanguageModelV4CallOptions["responseFormat"],
  strict: unknown,
): object | undefined {
  if (format === undefined || format.type === "text") return undefined;
  const { name = "response", schema, description } = format;
  if (schema === undefined) return { type: "json_object" };
  return { type: "json_schema", json_schema: { name, description, schema, strict } };
}
