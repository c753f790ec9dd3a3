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
 * How earlier turns are shown to the model: `log`, each as its log and its answer; `full`, with
 * every call and what was shown of its result; or the newest turns in full and those before them
 * as logs.
 */
export type HistoryMode = "log" | "full" | { readonly keepTurns: number };

/** A turn that ended, as it is kept. `ToolChainResult.state` is one. Plain JSON. */
export interface StoredTurn {
  /** What was said before it elsewhere; it is shown as it is. */
  readonly before?: readonly Message[];
  /** What was new in it, and what the model said. */
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
  /** As it was kept; else it is made from the calls, the same bytes. */
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
 * The messages that show a model what was said before, for `contextMessages` of the next turn. As
 * a log, a turn is what was asked, one developer message with its calls, and the assistant's own
 * words. Shown in full whatever is asked for: a turn in which a client's tools ran, since the
 * client has it so, and one whose calls and results are short, for a log would save nothing; of
 * hundreds of those, the newest.
 *
 * @param history @default "log"
 * @throws CapstanError `invalid_history`: of turns or of a mode that are none, with the place
 *
 * @example
 * turns.push((await run.result).state);
 * runToolChain({ executor, model, contextMessages: historyMessages(turns), inputMessages: [next] });
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

/** The client has such a turn in full. */
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
  // Most providers' forms want an answer between two questions.
  turn.push({ role: "assistant", content: words === "" ? unfinished : words });
  return turn;
}

const unfinished = "(This turn ended without an answer.)";

/** Characters, about a thousand tokens. */
const shortTurnChars = 4_000;
/** Characters of the short turns that a conversation is shown as they were, together. */
const shownChars = 64_000;

interface Turn {
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
}

/**
 * Which turns, by their place, are shown as they were because they are short. Hundreds of them would add up: once
 * they are too many, the oldest become logs until half as many characters are left, so that what a
 * provider has cached is seldom cut. It depends on the turns alone, in their order: one that has
 * become a log stays one, whatever comes after.
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
    for (const [oldest, its] of sizes) {
      if (chars <= shownChars / 2) break;
      // Where nothing was called a log would be the same.
      if (its === 0) continue;
      sizes.delete(oldest);
      chars -= its;
    }
  }
  return new Set(sizes.keys());
}

/**
 * The characters that a log would spare of an answered turn: what was called in it, with what and
 * what came of it. Undefined where they are many. Of a few it would save less than one look-up of
 * what it leaves out costs, and the provider has these very bytes in its cache.
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
    // It is shown in full anyway.
    if (owner === "client") return undefined;
    if (parentCallId !== undefined || result === undefined) continue;
    // Pictures and files cost what no count of characters says.
    if (result.parts?.some(({ type }) => type === "image" || type === "file")) return undefined;
    chars += result.finalText.length;
  }
  return chars <= shortTurnChars ? chars : undefined;
}
