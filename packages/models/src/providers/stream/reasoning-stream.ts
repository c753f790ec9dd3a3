import type { JsonObject, ModelEvent } from "@capstan/core";

export interface ReasoningStream {
  start(blockId: string, metadata: JsonObject | undefined): readonly ModelEvent[];
  delta(blockId: string, text: string, metadata: JsonObject | undefined): readonly ModelEvent[];
  end(blockId: string, metadata: JsonObject | undefined): readonly ModelEvent[];
  finish(): readonly ModelEvent[];
}

/**
 * Creates the events of a model's reasoning. Providers may have several blocks open at once, and
 * send a block's signature at the start, in the middle or at the end. Overlapping blocks are merged
 * into one, with an empty line between their texts. It ends with the last of them.
 */
export function createReasoningStream(): ReasoningStream {
  const open = new Set<string>();
  let speaker: string | undefined;
  let hasText = false;
  let collected: JsonObject = {};

  function collect(metadata: JsonObject | undefined): void {
    for (const [provider, value] of Object.entries(metadata ?? {})) {
      collected = {
        ...collected,
        [provider]: { ...objectOf(collected[provider]), ...withoutNulls(objectOf(value)) },
      };
    }
  }

  function close(): readonly ModelEvent[] {
    const hasMetadata = Object.values(collected).some(
      (value) => Object.keys(objectOf(value)).length > 0,
    );
    const events: ModelEvent[] =
      hasText || hasMetadata
        ? [{ type: "reasoning-end", ...(hasMetadata && { providerMetadata: collected }) }]
        : [];
    open.clear();
    speaker = undefined;
    hasText = false;
    collected = {};
    return events;
  }

  return {
    start(blockId, metadata) {
      open.add(blockId);
      collect(metadata);
      return [];
    },
    delta(blockId, text, metadata) {
      open.add(blockId);
      collect(metadata);
      if (text === "") return [];
      const separator = hasText && speaker !== blockId ? "\n\n" : "";
      speaker = blockId;
      hasText = true;
      return [{ type: "reasoning-delta", text: separator + text }];
    },
    end(blockId, metadata) {
      collect(metadata);
      open.delete(blockId);
      return open.size === 0 ? close() : [];
    },
    finish: close,
  };
}

function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {};
}

/** Merges metadata without null values, because some providers send null until a value is known. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
}
