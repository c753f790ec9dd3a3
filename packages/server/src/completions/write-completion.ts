import type { JsonObject, JsonValue, TokenLogprob, Usage } from "@capstan/core";
import { wireLogprob } from "../http/tools/wire-logprobs.ts";
import type { CompletionFinish, CompletionPiece, ShownFile } from "./project-completion.ts";

/** The fields that all chunks of a completion and the whole completion share. */
export interface CompletionIdentity {
  /** `chatcmpl-…` */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly model: string;
  /** Whether calls have the older form `function_call`. */
  readonly usesFunctions: boolean;
}

/** Returns token counts in the API's form, with all members: some clients require each. */
export function completionUsage(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function finishOf(finish: CompletionFinish, { usesFunctions }: CompletionIdentity): string {
  return usesFunctions && finish === "tool_calls" ? "function_call" : finish;
}

/** Returns a chunk. Every chunk has `choices`, because some clients fail without it. */
export function completionChunk(
  { id, createdAt, model }: CompletionIdentity,
  choices: readonly JsonObject[],
  usage?: JsonObject | null,
): JsonObject {
  return {
    id,
    object: "chat.completion.chunk",
    created: Math.floor(createdAt / 1_000),
    model,
    system_fingerprint: null,
    choices: [...choices],
    ...(usage !== undefined && { usage }),
  };
}

/** Returns the first chunk of a choice. */
export function roleChoice(index: number): JsonObject {
  return choice(index, { role: "assistant", content: "", refusal: null });
}

/** Returns the choice of a chunk without content, which keeps a quiet connection open. */
export function emptyChoice(index: number): JsonObject {
  return choice(index, {});
}

/**
 * Returns the choice of a chunk for a piece, or `undefined` for an error. Each chunk has at most
 * one call, and the finish reason has a separate chunk. Some clients ignore any other content of
 * such a chunk.
 */
export function pieceChoice(
  index: number,
  piece: CompletionPiece,
  identity: CompletionIdentity,
): JsonObject | undefined {
  switch (piece.type) {
    case "content":
      return choice(index, { content: piece.text }, null, piece.logprobs);
    case "reasoning":
      return choice(index, { reasoning_content: piece.text });
    case "refusal":
      return choice(index, { refusal: piece.text });
    case "call": {
      const { index: at, id, name, isCustom } = piece;
      if (identity.usesFunctions)
        return at === 0 ? choice(index, { function_call: { name, arguments: "" } }) : undefined;
      const call = isCustom
        ? { type: "custom", custom: { name, input: "" } }
        : { type: "function", function: { name, arguments: "" } };
      return choice(index, { tool_calls: [{ index: at, id, ...call }] });
    }
    case "arguments": {
      const { index: at, text, isCustom } = piece;
      if (identity.usesFunctions)
        return at === 0 ? choice(index, { function_call: { arguments: text } }) : undefined;
      const call = isCustom ? { custom: { input: text } } : { function: { arguments: text } };
      return choice(index, { tool_calls: [{ index: at, ...call }] });
    }
    case "files":
      return choice(index, filesOf(piece.files));
    case "annotations":
      return choice(index, { annotations: [...piece.annotations] });
    case "end":
      return choice(index, {}, finishOf(piece.finish, identity));
    case "error":
      return undefined;
  }
}

/**
 * Returns the members of a message with a tool's files: `images`, as other servers that add images
 * to this API name it, and `files` in the form of a request's parts.
 */
function filesOf(shown: readonly ShownFile[]): JsonObject {
  const images: JsonValue[] = [];
  const files: JsonValue[] = [];
  for (const { type, name, url } of shown) {
    if (type === "image") images.push({ type: "image_url", image_url: { url } });
    else files.push({ type: "file", file: { filename: name, file_data: url } });
  }
  return { ...(images.length > 0 && { images }), ...(files.length > 0 && { files }) };
}

function choice(
  index: number,
  delta: JsonObject,
  finish: string | null = null,
  logprobs: readonly TokenLogprob[] = [],
): JsonObject {
  return { index, delta, logprobs: choiceLogprobs(logprobs), finish_reason: finish };
}

function choiceLogprobs(logprobs: readonly TokenLogprob[]): JsonObject | null {
  return logprobs.length === 0 ? null : { content: logprobs.map(wireLogprob), refusal: null };
}

interface WholeCall {
  readonly id: string;
  readonly name: string;
  readonly isCustom: boolean;
  text: string;
}

/** Returns a choice of a whole completion from all its pieces. */
export function wholeChoice(
  index: number,
  pieces: readonly CompletionPiece[],
  identity: CompletionIdentity,
): JsonObject {
  let content = "";
  let reasoning = "";
  let refusal = "";
  let finish: CompletionFinish = "stop";
  const calls: WholeCall[] = [];
  const files: ShownFile[] = [];
  const annotations: JsonObject[] = [];
  const logprobs: TokenLogprob[] = [];
  for (const piece of pieces) {
    switch (piece.type) {
      case "content":
        content += piece.text;
        logprobs.push(...(piece.logprobs ?? []));
        break;
      case "reasoning":
        reasoning += piece.text;
        break;
      case "refusal":
        refusal += piece.text;
        break;
      case "call":
        calls.push({ id: piece.id, name: piece.name, isCustom: piece.isCustom, text: "" });
        break;
      case "arguments": {
        const call = calls[piece.index];
        if (call !== undefined) call.text += piece.text;
        break;
      }
      case "annotations":
        annotations.push(...piece.annotations);
        break;
      case "files":
        files.push(...piece.files);
        break;
      case "end":
        ({ finish } = piece);
        break;
      case "error":
        break;
    }
  }
  const [first] = calls;
  return {
    index,
    message: {
      role: "assistant",
      content: content === "" && (calls.length > 0 || refusal !== "") ? null : content,
      refusal: refusal === "" ? null : refusal,
      annotations,
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...filesOf(files),
      ...(first !== undefined &&
        (identity.usesFunctions
          ? { function_call: { name: first.name, arguments: first.text } }
          : { tool_calls: calls.map(wholeCall) })),
    },
    logprobs: choiceLogprobs(logprobs),
    finish_reason: finishOf(finish, identity),
  };
}

function wholeCall({ id, name, isCustom, text }: WholeCall): JsonValue {
  return isCustom
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}

/** Returns a whole completion. */
export function wholeCompletion(
  { id, createdAt, model }: CompletionIdentity,
  choices: readonly JsonObject[],
  {
    usage,
    metadata,
  }: { readonly usage: Usage; readonly metadata: { readonly [name: string]: string } },
): JsonObject {
  return {
    id,
    object: "chat.completion",
    created: Math.floor(createdAt / 1_000),
    model,
    choices: [...choices],
    usage: completionUsage(usage),
    system_fingerprint: null,
    service_tier: "default",
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
