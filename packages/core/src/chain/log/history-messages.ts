import { z } from "zod/mini";
import { problemText, schemaProblem } from "../../json/schema-problem.ts";
import { shortJson } from "../../json/short-json.ts";
import { CapstanError } from "../../base/errors.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { type Message, messagesSchema } from "../../model/message.ts";
import type { TurnLog } from "../journal/chain-result.ts";
import { turnShape } from "../options/resume-problem.ts";
import { turnMessages, answerText, turnReplay } from "./turn-log.ts";

/**
 * How earlier turns are shown to the model. `log`: each turn as its log and its answer. `full`:
 * with every call and the result that the model was shown. `keepTurns`: the newest turns in full,
 * and the earlier ones as logs.
 */
export type HistoryMode = "log" | "full" | { readonly keepTurns: number };

/** A stored turn that ended. `ToolChainResult.state` is one. Plain JSON. */
export interface StoredTurn {
  /** Messages before the turn that belong to no other turn. They are shown unchanged. */
  readonly before?: readonly Message[];
  /** The turn's new input, and the model's messages. */
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
  /** The stored log; if absent, the same log is created from the calls. */
  readonly log?: Pick<TurnLog, "replay">;
}

const storedTurns = z.array(
  z.looseObject(
    { before: z.optional(messagesSchema), ...turnShape },
    "a turn, such as the state of a result",
  ),
  "a list of turns",
);

/**
 * Returns the messages of earlier turns for the model, for `contextMessages` of the next turn. The
 * log of a turn is the user's message, one developer message with its calls, and the assistant's
 * own text. Two kinds of turns are always shown in full. The first kind has calls of a client's
 * tools, because the client has the full turn. The second kind has short calls and results, because
 * a log would save nothing. Of hundreds of short turns, only the newest are shown in full.
 *
 * @param history @default "log"
 * @throws CapstanError `invalid_history` if a turn or the mode is invalid, with its path
 *
 * @example
 * turns.push((await run.result).state);
 * runToolChain({ executor, model, contextMessages: historyMessages(turns), inputMessages: [next]
 * });
 */
export function historyMessages(
  turns: readonly StoredTurn[],
  history: HistoryMode = "log",
): readonly Message[] {
  const problem = schemaProblem(storedTurns, turns, "turns");
  if (problem !== undefined)
    throw invalid(`The history has an invalid turn: ${problemText(problem)}.`);
  const older = turns.slice(0, Math.max(0, turns.length - turnsInFull(history)));
  const short = shortTurnsShown(older);
  return turns.flatMap((turn, index) => [
    ...(turn.before ?? []),
    ...(index >= older.length || short.has(index) || ranAtClient(turn)
      ? turnMessages(turn.messages, turn.calls)
      : asLog(turn)),
  ]);
}

function turnsInFull(history: HistoryMode): number {
  if (history === "log") return 0;
  if (history === "full") return Infinity;
  const kept: unknown = (history as { readonly keepTurns?: unknown } | null)?.keepTurns;
  if (typeof kept === "number" && kept >= 0 && (Number.isInteger(kept) || kept === Infinity))
    return kept;
  throw invalid(
    `history must be "log", "full" or { keepTurns } with a whole number from 0 on, not ${shortJson(history)}.`,
  );
}

function invalid(message: string): CapstanError {
  return new CapstanError({ code: "invalid_history", message });
}

/** Whether the client ran calls of the turn: then it has the full turn. */
function ranAtClient({ calls }: StoredTurn): boolean {
  return calls.some(({ owner }) => owner === "client");
}

function asLog({
  messages,
  calls,
  log = { replay: turnReplay(calls) },
}: StoredTurn): readonly Message[] {
  const turn: Message[] = messages.filter(({ role }) => role !== "assistant" && role !== "tool");
  if (log.replay !== "") turn.push({ role: "developer", content: log.replay });
  const words = answerText(messages);
  // Most providers require an answer between two user messages.
  turn.push({ role: "assistant", content: words === "" ? unfinished : words });
  return turn;
}

const unfinished = "(This turn ended without an answer.)";

/** Characters; about a thousand tokens. */
const shortTurnChars = 4_000;
/** Characters of all short turns that a conversation shows in full. */
const shownChars = 64_000;

interface Turn {
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
}

/**
 * Returns the indexes of the turns that are shown in full because they are short. If there are too
 * many, the oldest become logs until at most half of the characters remain, so that the provider's
 * cache is seldom invalidated. The result depends only on the turns and their order: a turn that
 * became a log remains a log.
 */
function shortTurnsShown(turns: readonly Turn[]): ReadonlySet<number> {
  const sizes = new Map<number, number>();
  let chars = 0;
  for (const [index, turn] of turns.entries()) {
    const size = shortTurnSize(turn);
    if (size === undefined) continue;
    sizes.set(index, size);
    chars += size;
    if (chars <= shownChars) continue;
    for (const [oldest, oldestSize] of sizes) {
      if (chars <= shownChars / 2) break;
      // Without calls, the log is the same text.
      if (oldestSize === 0) continue;
      sizes.delete(oldest);
      chars -= oldestSize;
    }
  }
  return new Set(sizes.keys());
}

/**
 * Returns the characters that a log would save of an answered turn: its calls with their arguments
 * and results. Returns undefined for a long turn. A log that saves only a few characters is not
 * worthwhile: one read of omitted text costs more, and the provider has cached the full turn.
 */
function shortTurnSize({ messages, calls }: Turn): number | undefined {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.content === "" || last.tool_calls?.length)
    return undefined;
  let chars = 0;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { text } of message.reasoning ?? []) chars += text.length;
    for (const { function: called } of message.tool_calls ?? []) chars += called.arguments.length;
  }
  for (const { owner, parentCallId, result } of calls) {
    // The turn is shown in full anyway.
    if (owner === "client") return undefined;
    if (parentCallId !== undefined || result === undefined) continue;
    // The number of characters says nothing about the cost of images and files.
    if (result.parts?.some(({ type }) => type === "image" || type === "file")) return undefined;
    chars += result.finalText.length;
  }
  return chars <= shortTurnChars ? chars : undefined;
}
