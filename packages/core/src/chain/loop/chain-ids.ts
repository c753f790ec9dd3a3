import { newId, isPlainName } from "../../base/id.ts";
import type { Message } from "../../model/message.ts";

/** Gives out ids that are unique in a chain: its items', and its calls', which a provider may repeat or leave empty. */
export class ChainIds {
  readonly #itemPrefix = `it_${newId("").slice(0, 8)}_`;
  #items = 0;
  readonly #given = new Set<string>();
  readonly #isKnown: (callId: string) => boolean;

  /** @param isKnown whether the chain has a call of this id, whoever gave it */
  constructor(before: readonly Message[], isKnown: (callId: string) => boolean) {
    this.#isKnown = isKnown;
    for (const message of before)
      if (message.role === "assistant")
        for (const { id } of message.tool_calls ?? []) this.#given.add(id);
  }

  item(): string {
    return this.#itemPrefix + ++this.#items;
  }

  /** The provider's own id where that can be. */
  call(providerId: string): string {
    const isUnique = !this.#given.has(providerId) && !this.#isKnown(providerId);
    const id = isUnique && isPlainName(providerId) ? providerId : newId("call_");
    this.#given.add(id);
    return id;
  }
}

/** What every provider takes as a function's name, even where the model wrote none. */
export function callName(name: string): string {
  if (isPlainName(name)) return name;
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
}
