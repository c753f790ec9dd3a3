import type { JsonObject, ModelEvent } from "@capstan/core";

type CallEnd = Extract<ModelEvent, { readonly type: "tool-call-end" }>;

interface OpenCall {
  readonly id: string;
  readonly name: string;
  streamed: string;
  /** Another one is open under the provider's same id: whose a delta is cannot be told. */
  isShared: boolean;
}

export interface CallStream {
  start(providerId: string, name: string): readonly ModelEvent[];
  delta(providerId: string, delta: string): readonly ModelEvent[];
  /** The whole call as the provider sends it; for some the only sign of it. */
  call(
    providerId: string,
    name: string,
    args: string,
    metadata: JsonObject | undefined,
  ): readonly ModelEvent[];
  /**
   * Returns the events that complete the calls, at the end of the answer.
   *
   * @param isCutOff the answer was ended by a limit or a filter, perhaps in its last call
   */
  finish(isCutOff: boolean): readonly ModelEvent[];
}

/**
 * Follows the tool calls of one answer. Each gets an id that no other call of the conversation
 * has, whatever the provider calls it: some repeat their ids in each turn, or leave them empty.
 *
 * A call ends with the answer, not before: a connection that breaks must never leave half a
 * call that looks whole.
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
      // Of those that share an id the arguments follow when they are whole.
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
    finish(isCutOff) {
      const halves = [...open.values()].flat().map((call) => callEnd(call, call.streamed));
      return [...ends, ...halves].map((end) =>
        isCutOff && end.id === lastBegun?.id && lastBegun.streamed === ""
          ? { ...end, arguments: noArguments }
          : end,
      );
    },
  };
}

/** No arguments at all would be taken for a call that needs none. */
const noArguments = "(cut off: the response ended before the arguments)";

function callEnd({ id, name }: OpenCall, args: string): CallEnd {
  return { type: "tool-call-end", id, name, arguments: args };
}
