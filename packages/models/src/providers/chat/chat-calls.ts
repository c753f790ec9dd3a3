import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { fieldsOf, textOf } from "./fields.ts";

/** The calls of one answer, which arrive in pieces. */
export interface ChatCalls {
  /** Returns the parts of one element of `delta.tool_calls`. */
  add(piece: unknown): readonly LanguageModelV4StreamPart[];
  /**
   * Returns the complete calls at the end of the answer. @throws Error if a call has no name
   */
  finish(): readonly LanguageModelV4StreamPart[];
}

interface OpenCall {
  /** Unique in the answer. */
  readonly key: string;
  readonly index: unknown;
  readonly id: string | undefined;
  /** Some servers send arguments before the name. */
  name: string | undefined;
  arguments: string;
  signature: string | undefined;
}

/**
 * Assembles the calls of a stream of Chat Completions. Servers differ: some send the id with each
 * piece, others only with the first one. Indexes can be missing or always 0. Ids can be missing or
 * repeated.
 *
 * @param metadataKey the key of the calls' metadata
 */
export function createChatCalls(metadataKey: string): ChatCalls {
  const calls: OpenCall[] = [];

  function open(piece: Piece): OpenCall {
    const { index, id } = piece;
    const isUsed = id === undefined || calls.some((call) => call.key === id);
    const key = isUsed ? `call_${crypto.randomUUID().replaceAll("-", "")}` : id;
    const call = { key, index, id, name: undefined, arguments: "", signature: undefined };
    calls.push(call);
    return call;
  }

  /** Returns the call that a piece continues, or `undefined` if it begins one. */
  function continued(piece: Piece): OpenCall | undefined {
    const { index, id, name } = piece;
    if (typeof index === "number") {
      const call = calls.findLast((each) => each.index === index);
      return call === undefined || beginsAnother(piece, call) ? undefined : call;
    }
    if (id !== undefined) {
      const call = calls.findLast((each) => each.id === id);
      return call === undefined || beginsAnother(piece, call) ? undefined : call;
    }
    return name === undefined ? calls.at(-1) : undefined;
  }

  return {
    add(given) {
      const piece = readPiece(given);
      const call = continued(piece) ?? open(piece);
      const { key } = call;
      call.signature ??= piece.signature;
      call.arguments += piece.arguments;
      if (call.name !== undefined)
        return piece.arguments === ""
          ? []
          : [{ type: "tool-input-delta", id: key, delta: piece.arguments }];
      if (piece.name === undefined) return [];
      call.name = piece.name;
      const start = { type: "tool-input-start", id: key, toolName: call.name } as const;
      if (call.arguments === "") return [start];
      return [start, { type: "tool-input-delta", id: key, delta: call.arguments }];
    },
    finish: () =>
      calls.map((call): LanguageModelV4StreamPart => {
        const { key, name, arguments: input, signature } = call;
        if (name === undefined) throw new Error("A tool call has no function.name.");
        return {
          type: "tool-call",
          toolCallId: key,
          toolName: name,
          input,
          ...(signature !== undefined && {
            providerMetadata: { [metadataKey]: { thoughtSignature: signature } },
          }),
        };
      }),
  };
}

interface Piece {
  readonly index: unknown;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly arguments: string;
  /** The signature that Gemini requires back. */
  readonly signature: string | undefined;
}

function readPiece(given: unknown): Piece {
  const piece = fieldsOf(given);
  const called = fieldsOf(piece["function"]);
  const google = fieldsOf(fieldsOf(piece["extra_content"])["google"]);
  return {
    index: piece["index"],
    id: wordOf(piece["id"]),
    name: wordOf(called["name"]),
    arguments: argumentsOf(called["arguments"]),
    signature: textOf(google["thought_signature"]),
  };
}

/** Some servers send arguments as an object, whole. */
function argumentsOf(given: unknown): string {
  if (typeof given === "object" && given !== null) return JSON.stringify(given);
  return textOf(given) ?? "";
}

/**
 * Whether a piece with the index or id of a call begins a new call. Such a piece has a name and the
 * beginning of an object. In addition, either its id differs from the earlier call's id, or the
 * arguments of the earlier call are complete.
 */
function beginsAnother({ id, name, arguments: args }: Piece, call: OpenCall): boolean {
  if (name === undefined || !args.trimStart().startsWith("{") || call.name === undefined)
    return false;
  return (id !== undefined && id !== call.id) || isJson(call.arguments);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the value if it is a text that is not blank. */
function wordOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
