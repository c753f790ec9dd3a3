import type { JsonObject, ModelEvent } from "@capstan/core";

interface OpenCall {
  readonly id: string;
  readonly name: string;
  streamed: string;
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
  /** What completes the calls, once the whole answer is there. */
  finish(): readonly ModelEvent[];
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
  const open = new Map<string, OpenCall>();
  const ends: ModelEvent[] = [];

  function begin(providerId: string, name: string): OpenCall {
    const isUsable = providerId !== "" && !used.has(providerId);
    const id = isUsable ? providerId : `call_${crypto.randomUUID().replaceAll("-", "")}`;
    used.add(id);
    const call = { id, name, streamed: "" };
    open.set(providerId, call);
    return call;
  }

  return {
    start(providerId, name) {
      const { id } = begin(providerId, name);
      return [{ type: "tool-call-start", id, name }];
    },
    delta(providerId, delta) {
      const call = open.get(providerId);
      if (call === undefined || delta === "") return [];
      call.streamed += delta;
      return [{ type: "tool-call-delta", id: call.id, delta }];
    },
    call(providerId, name, args, providerMetadata) {
      const events: ModelEvent[] = [];
      let call = open.get(providerId);
      if (call === undefined) {
        call = begin(providerId, name);
        events.push({ type: "tool-call-start", id: call.id, name });
      }
      if (call.streamed === "" && args !== "")
        events.push({ type: "tool-call-delta", id: call.id, delta: args });
      open.delete(providerId);
      const metadata = providerMetadata === undefined ? {} : { providerMetadata };
      ends.push({
        type: "tool-call-end",
        id: call.id,
        name: call.name,
        arguments: args,
        ...metadata,
      });
      return events;
    },
    finish() {
      const cutOff = [...open.values()].map(({ id, name, streamed }): ModelEvent => ({
        type: "tool-call-end",
        id,
        name,
        arguments: streamed,
      }));
      return [...ends, ...cutOff];
    },
  };
}
