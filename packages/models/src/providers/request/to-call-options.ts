import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { JsonObject, ModelRequest, ToolDefinition } from "@capstan/core";
import type { ResponseFormat, ToolChoice } from "@capstan/core/host";
import { customNames, customTool } from "./custom-tools.ts";
import { type Dialect, dialectOf } from "./dialect.ts";
import { promptName } from "./prompt-calls.ts";
import type { Provider } from "./provider.ts";
import { toPrompt } from "./to-prompt.ts";

type CallOptions = Omit<LanguageModelV4CallOptions, "abortSignal">;

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Returns a request to a model in the form of the providers' packages. */
export function toCallOptions(
  request: ModelRequest,
  provider: Pick<Provider, "id" | "wire" | "url">,
  modelName = "",
): CallOptions {
  const { responseFormat, reasoningEffort } = request;
  const effort = efforts.find((candidate) => candidate === reasoningEffort);
  const dialect = dialectOf(provider);
  const custom = customNames(request.tools, { ...provider, modelName }, dialect);
  return {
    prompt: toPrompt(request.messages, dialect, custom),
    // Request raw parts, because any part that the server sends resets the timeout.
    includeRawChunks: true,
    providerOptions: providerOptionsOf(request, provider),
    ...toolOptions(request, provider, { dialect, custom }),
    ...(responseFormat !== undefined && { responseFormat: formatOf(responseFormat) }),
    ...(effort !== undefined && { reasoning: effort }),
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.topP !== undefined && { topP: request.topP }),
    ...(request.presencePenalty !== undefined && { presencePenalty: request.presencePenalty }),
    ...(request.frequencyPenalty !== undefined && { frequencyPenalty: request.frequencyPenalty }),
    ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
    ...(request.stop !== undefined && { stopSequences: [...request.stop] }),
    ...(request.seed !== undefined && { seed: request.seed }),
  };
}

function toolOptions(
  { tools, toolChoice, messages }: ModelRequest,
  { wire }: Pick<Provider, "wire">,
  { dialect, custom }: { readonly dialect: Dialect; readonly custom: ReadonlySet<string> },
): Pick<CallOptions, "tools" | "toolChoice"> {
  if (tools.length > 0) {
    return {
      tools: tools.map((tool) => {
        const name = promptName(tool.function.name, dialect);
        return tool.custom !== undefined && custom.has(name)
          ? customTool(name, tool.custom)
          : functionTool(tool, dialect);
      }),
      ...(toolChoice !== undefined && { toolChoice: choiceOf(toolChoice, dialect) }),
    };
  }
  if (wire !== "anthropic") return {};
  // Anthropic requires definitions of all tools that the messages call.
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []) : [],
  );
  const names = new Set(calls.map((call) => promptName(call.function.name, dialect)));
  if (names.size === 0) return {};
  const called = Array.from(names, (name): ToolDefinition => ({
    type: "function",
    function: { name },
  }));
  return {
    tools: called.map((tool) => functionTool(tool, dialect)),
    toolChoice: { type: "none" },
  };
}

function functionTool(
  { function: { name, description, parameters, strict } }: ToolDefinition,
  dialect: Dialect,
): LanguageModelV4FunctionTool {
  return {
    type: "function",
    name: promptName(name, dialect),
    // Some providers reject a schema without a type or without properties.
    inputSchema: { type: "object", properties: {}, ...parameters },
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
}

function choiceOf(choice: ToolChoice, dialect: Dialect): NonNullable<CallOptions["toolChoice"]> {
  return typeof choice === "string"
    ? { type: choice }
    : { type: "tool", toolName: promptName(choice.name, dialect) };
}

function formatOf(format: ResponseFormat): NonNullable<CallOptions["responseFormat"]> {
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json" };
    case "json_schema":
      return {
        type: "json",
        name: format.name,
        schema: format.schema,
        ...(format.description !== undefined && { description: format.description }),
      };
  }
}

/** Returns the provider-specific options. The caller's options take precedence. */
function providerOptionsOf(
  request: ModelRequest,
  provider: Pick<Provider, "id" | "wire" | "url">,
): SharedV4ProviderOptions {
  const given = request.providerOptions ?? {};
  return { ...given, [provider.id]: { ...ownOptions(request, provider), ...given[provider.id] } };
}

function ownOptions(
  { tools, parallelToolCalls, responseFormat, verbosity, logprobs }: ModelRequest,
  { wire, url }: Pick<Provider, "wire" | "url">,
): JsonObject {
  // OpenAI rejects the setting if there are no tools.
  const parallel = tools.length > 0 ? parallelToolCalls : undefined;
  const text: JsonObject = {
    ...(responseFormat?.type === "json_schema" && {
      strictJsonSchema: responseFormat.strict ?? false,
    }),
    ...(verbosity !== undefined && { textVerbosity: verbosity }),
  };
  switch (wire) {
    case "openai-responses":
      // Capstan stores the history. OpenAI stores nothing and returns encrypted reasoning.
      return {
        store: false,
        ...text,
        ...(parallel !== undefined && { parallelToolCalls: parallel }),
        // The package rejects 0 alternatives. `readLogprobs` leaves out the superfluous one.
        ...(logprobs !== undefined && { logprobs: Math.max(1, logprobs.top) }),
      };
    case "openai-chat":
      return {
        ...text,
        ...(parallel !== undefined && { parallelToolCalls: parallel }),
        ...(logprobs !== undefined && { logprobs: logprobs.top }),
      };
    case "openai-compatible":
      return {
        ...text,
        ...(parallel !== undefined && { parallel_tool_calls: parallel }),
        ...(logprobs !== undefined && { logprobs: true, top_logprobs: logprobs.top }),
      };
    case "anthropic":
      return {
        includePings: true,
        // Without this option, nothing is cached and each round costs the full price. Gateways may
        // not support it.
        ...(url.startsWith("https://api.anthropic.com/") && {
          cacheControl: { type: "ephemeral" },
        }),
        ...(parallel === false && { disableParallelToolUse: true }),
      };
    case "google":
      return {};
  }
}
