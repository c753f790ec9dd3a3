import type { CallRecord } from "../../call/record/call-record.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";

/** A result of fewer tokens is not worth shortening. */
const shortTokens = 200;

interface ShownRound {
  readonly calls: readonly CallRecord[];
  readonly tokens: number;
}

/**
 * Decides which results of a turn to shorten. When the results exceed `most` tokens, the oldest rounds
 * are shortened until half as many are left, so that a provider's cache is seldom invalidated; the
 * newest round stays as it is. Depends only on the results and their order, so that a resumed turn
 * comes to the same messages.
 */
export class ResultCompaction {
  readonly #most: number;
  readonly #canBeReadAgain: (call: CallRecord) => boolean;
  readonly #rounds: ShownRound[] = [];
  #tokens = 0;

  /** @param most tokens; `Infinity`: nothing is shortened */
  constructor(most: number, canBeReadAgain: (call: CallRecord) => boolean) {
    this.#most = most;
    this.#canBeReadAgain = canBeReadAgain;
  }

  /** Takes in what the calls of a round gave; returns those of earlier ones that make room, shortened. */
  add(calls: readonly CallRecord[]): readonly CallRecord[] {
    if (this.#most === Infinity) return none;
    const able = calls.filter((call) => isLong(call) && this.#canBeReadAgain(call));
    const tokens = able.reduce((sum, { result }) => sum + (result?.tokens.shown ?? 0), 0);
    this.#rounds.push({ calls: able, tokens });
    this.#tokens += tokens;
    if (this.#tokens <= this.#most) return none;
    const shortened: CallRecord[] = [];
    while (this.#tokens > this.#most / 2 && this.#rounds.length > 1) {
      const oldest = this.#rounds.shift();
      this.#tokens -= oldest?.tokens ?? 0;
      for (const call of oldest?.calls ?? []) shortened.push(shorten(call));
    }
    return shortened;
  }
}

/** What is kept under a name, or is itself a reading of something that is. */
export function canBeReadAgain({ gate }: ToolExecutor, { toolId, result }: CallRecord): boolean {
  if (result?.cacheVarResult !== undefined) return true;
  return toolId !== undefined && gate.registry.tool(toolId)?.tool.variableTool === true;
}

const none: readonly CallRecord[] = [];

/** A picture or a file cannot be looked at again by its name. */
function isLong({ result }: CallRecord): boolean {
  if (result === undefined || result.tokens.shown <= shortTokens) return false;
  return result.parts?.some(({ type }) => type === "image" || type === "file") !== true;
}

/** From what stays of a result, whatever was made of its text before: the same bytes each time. */
function shorten(call: CallRecord): CallRecord {
  const { result } = call;
  if (result === undefined) return call;
  const { preview, cacheVarResult: name } = result;
  const again =
    name === undefined
      ? "Call it again to see it all."
      : `See it all: ReadVar(${JSON.stringify({ name })}).`;
  const finalText = `${preview}\n[Shortened: you were shown this before. ${again}]`;
  return { ...call, result: { ...result, finalText } };
}
