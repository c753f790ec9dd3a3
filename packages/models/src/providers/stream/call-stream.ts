import type { JsonObject, ModelEvent } from "@capstan/core";
import { cutsOff, type FinishReason, isWholeCall } from "@capstan/core/host";

type CallEnd = Extract<ModelEvent, { readonly type: "tool-call-end" }>;

interface OpenCall {
  readonly id: string;
  readonly name: string;
  streamed: string;
  /** Whether another open call has the same provider id, so that deltas are ambiguous. */
  isShared: boolean;
}

export interface CallStream {
  start(providerId: string, name: string): readonly ModelEvent[];
  delta(providerId: string, delta: string): readonly ModelEvent[];
  /** Handles a complete call. Some providers send only this, without a start and deltas. */
  call(
    providerId: string,
    name: string,
    args: string,
    metadata: JsonObject | undefined,
  ): readonly ModelEvent[];
  /**
   * Returns the events that end the calls at the end of the answer. If a limit or a filter ended
   * the answer, calls whose arguments are not a whole object are incomplete.
   */
  finish(reason: FinishReason): readonly ModelEvent[];
}

/**
 * Creates the events of the tool calls in one answer. Each call gets an id that is unique in the
 * conversation, because some providers repeat their ids in each turn or send empty ones.
 *
 * Calls end with the answer, so that a broken connection never leaves an incomplete call that looks
 * complete.
 */
export function createCallStream(usedIds: Iterable<string>): CallStream {
  const used = new Set(usedIds);
  const open = new Map<string, OpenCall[]>();
  const ends: CallEnd[] = [];
  let lastBegun: OpenCall | undefined;

  function begin(providerId: string, name: string): OpenCall {
    const isUsable = providerId !== "" && !used.has(providerId);
    const id = isUsable ? providerId : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    used.add(id);
    const others = open.get(providerId) ?? [];
    const call = { id, name, streamed: "", isShared: others.length > 0 };
    for (const other of others) other.isShared = true;
    open.set(providerId, [...others, call]);
    lastBegun = call;
    return call;
  }

  return {
    start(providerId, name) {
      const { id } = begin(providerId, name);
      return [{ type: "tool-call-start", id, name }];
    },
    delta(providerId, delta) {
      const [call] = open.get(providerId) ?? [];
      // Calls that share an id get their arguments when these are complete.
      if (call === undefined || call.isShared || delta === "") return [];
      call.streamed += delta;
      return [{ type: "tool-call-delta", id: call.id, delta }];
    },
    call(providerId, name, args, providerMetadata) {
      const events: ModelEvent[] = [];
      const candidates = open.get(providerId) ?? [];
      let call =
        candidates.find((one) => one.name === name && args.startsWith(one.streamed)) ??
        candidates[0];
      if (call === undefined) {
        call = begin(providerId, name);
        events.push({ type: "tool-call-start", id: call.id, name });
      }
      const { id } = call;
      const rest = args.startsWith(call.streamed) ? args.slice(call.streamed.length) : "";
      if (rest !== "") events.push({ type: "tool-call-delta", id, delta: rest });
      open.set(
        providerId,
        (open.get(providerId) ?? []).filter((other) => other.id !== id),
      );
      const metadata = providerMetadata === undefined ? {} : { providerMetadata };
      ends.push({ ...callEnd(call, args), ...metadata });
      return events;
    },
    finish(reason) {
      const halves = [...open.values()].flat().map((call) => callEnd(call, call.streamed));
      const all = [...ends, ...halves];
      if (cutsOff(reason))
        return all.map((end) => {
          const isLast = end.id === lastBegun?.id;
          // Some packages report `{}` for a call without any delta.
          const isEmpty = isLast && lastBegun?.streamed === "" && end.arguments === "{}";
          const args = isEmpty ? "" : end.arguments;
          const isWhole = isWholeCall(args, { isLast });
          return isWhole ? end : { ...end, arguments: args, incomplete: true };
        });
      if (reason === "tool_calls" || reason === "stop") return all;
      return all.map((end) =>
        end.id === lastBegun?.id && lastBegun.streamed === ""
          ? { ...end, arguments: noArguments }
          : end,
      );
    },
  };
}

/** Replaces empty arguments, which would make the call look like one without arguments. */
const noArguments = "(cut off: the response ended before the arguments)";

function callEnd({ id, name }: OpenCall, args: string): CallEnd {
  return { type: "tool-call-end", id, name, arguments: args };
}
