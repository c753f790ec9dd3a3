import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { ChainState, RoundUsage } from "./chain-result.ts";
import type { JournalWrite } from "./journal.ts";
import { addUsage, noUsage } from "../../model/usage.ts";

/**
 * Where a chain was after these writes, whatever cut it off: what `resumeToolChain` takes. Only
 * whole commits may be given, in their order.
 *
 * @example const state = chainStateOf(rows.flatMap((row) => JSON.parse(row.writes)));
 */
export function chainStateOf(writes: Iterable<JournalWrite>): ChainState {
  const messages: { readonly round: number; readonly message: Message }[] = [];
  const calls = new Map<string, CallRecord>();
  const rounds: RoundUsage[] = [];
  let round = 0;
  let startTime = 0;
  let elapsed = 0;
  let since: number | undefined;
  /** Whether the last words are those of a step, or of a final tool, that did not come to its end. */
  const isCut = () => {
    const last = messages.at(-1);
    if (last?.message.role !== "assistant" || last.message.tool_calls !== undefined) return false;
    const before = messages.at(-2);
    const ofFinalTool = before?.message.role === "assistant" && before.round === last.round;
    return last.round > round || ofFinalTool;
  };
  for (const write of writes) {
    if (write.type === "message") messages.push(write);
    if (write.type === "call") calls.set(write.call.callId, write.call);
    if (write.type !== "event") continue;
    const { event } = write;
    if (event.type === "chain.started") startTime = event.at;
    if (event.type === "chain.resumed" && isCut()) messages.pop();
    if (event.type === "round.ended") {
      round = Math.max(round, event.round);
      rounds.push({ round: event.round, usage: event.usage });
    }
    if (!("at" in event)) continue;
    if (event.type === "chain.started" || event.type === "chain.resumed") since = event.at;
    else if (since !== undefined) {
      elapsed += event.at - since;
      since = event.at;
    }
  }
  return {
    round,
    messages: messages.map(({ message }) => message),
    calls: [...calls.values()],
    usage: rounds.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    startTime,
    elapsed,
    usageByRound: rounds,
    ...(isCut() && { cut: true }),
  };
}
