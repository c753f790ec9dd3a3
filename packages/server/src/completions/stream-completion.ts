import type { JsonObject, Usage } from "@capstan/core";
import { addUsage } from "@capstan/core/host";
import type { RunEvent } from "@capstan/contract";
import { chainFailure } from "../http/chain-failure.ts";
import type { RequestError } from "../http/errors.ts";
import { endOfStream, sseChunks } from "../http/streams.ts";
import type { CompletionPiece } from "./project-completion.ts";
import {
  completionChunk,
  type CompletionIdentity,
  completionUsage,
  pieceChoice,
  roleChoice,
} from "./write-completion.ts";

interface StreamOptions {
  /** The events of each choice. */
  readonly choices: readonly AsyncIterable<RunEvent>[];
  readonly fold: () => (event: RunEvent) => readonly CompletionPiece[];
  readonly identity: CompletionIdentity;
  /** Whether the last chunk has the usage, and the others `null`. */
  readonly includeUsage: boolean;
}

/**
 * Streams a completion as server-sent events. A choice that fails ends the stream with an error
 * event.
 *
 * @throws RequestError if a choice fails before the first chunk
 */
export async function* streamCompletion({
  choices,
  fold,
  identity,
  includeUsage,
}: StreamOptions): AsyncGenerator<string, void, undefined> {
  const noUsage = includeUsage ? null : undefined;
  const chunk = (choice: JsonObject) => sseChunks("", completionChunk(identity, [choice], noUsage));
  const begun = new Set<number>();
  let usage: Usage | undefined;
  for await (const { index, piece } of piecesOf(choices, fold)) {
    if (piece.type === "error") {
      const error = chainFailure(piece.error);
      if (begun.size === 0) throw error;
      yield* errorChunks(error);
      return;
    }
    if (!begun.has(index)) yield* chunk(roleChoice(index));
    begun.add(index);
    if (piece.type === "end")
      usage = usage === undefined ? piece.usage : addUsage(usage, piece.usage);
    const choice = pieceChoice(index, piece, identity);
    if (choice !== undefined) yield* chunk(choice);
  }
  if (includeUsage && usage !== undefined)
    yield* sseChunks("", completionChunk(identity, [], completionUsage(usage)));
  yield endOfStream;
}

/** Yields the event of an error in a stream that has begun. */
export function errorChunks({ message, type, param, code }: RequestError): Iterable<string> {
  return sseChunks("", { error: { message, type, param, code } });
}

interface ChoicePiece {
  readonly index: number;
  readonly piece: CompletionPiece;
}

/**
 * Yields the pieces of all choices as they arrive. Reads the next piece of a choice only after the
 * consumer has taken the last one.
 */
async function* piecesOf(
  choices: StreamOptions["choices"],
  fold: StreamOptions["fold"],
): AsyncGenerator<ChoicePiece, void, undefined> {
  const [only] = choices;
  if (choices.length === 1 && only !== undefined) {
    yield* piecesOfChoice(0, only, fold());
    return;
  }
  const readers = choices.map((events, index) => piecesOfChoice(index, events, fold()));
  const next = (index: number) =>
    readers[index]?.next().then((result) => ({ index, result })) ?? Promise.reject(new Error());
  const waiting = new Map(readers.map((_reader, index) => [index, next(index)]));
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      waiting.delete(index);
      if (result.done === true) continue;
      yield result.value;
      waiting.set(index, next(index));
    }
  } finally {
    for (const reader of readers) void reader.return(undefined);
  }
}

async function* piecesOfChoice(
  index: number,
  events: AsyncIterable<RunEvent>,
  push: (event: RunEvent) => readonly CompletionPiece[],
): AsyncGenerator<ChoicePiece, void, undefined> {
  for await (const event of events)
    for (const piece of push(event)) {
      yield { index, piece };
      if (piece.type === "end" || piece.type === "error") return;
    }
}
