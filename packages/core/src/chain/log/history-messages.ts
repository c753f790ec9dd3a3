import { z } from "zod/mini";
import { problemText, schemaProblem } from "../../json/schema-problem.ts";
import { shortJson } from "../../json/short-json.ts";
import { CapstanError } from "../../base/errors.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { type Message, messagesSchema } from "../../model/message.ts";
import type { TurnLog } from "../journal/chain-result.ts";
import { turnShape } from "../options/chain-state-problem.ts";
import { turnMessages, answerText, turnReplay } from "./turn-log.ts";
import { shortTurnsShown } from "./short-turn.ts";

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
