import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";

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
export function shortTurnsShown(turns: readonly Turn[]): ReadonlySet<number> {
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
