import type { Model, ModelEvent, ModelRequest } from "@capstan/core";

export const rounds = 5;
export const callsARound = 3;
/** The round in which one call needs an approval. */
const askingRound = 3;
const usage = { inputTokens: 1, outputTokens: 1 };

/**
 * A model that makes rounds of three calls, one of which needs an approval, and then answers. It
 * has no state: the request determines the next step.
 */
export const scriptedModel: Model = {
  id: "bench/scripted",
  async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const round = messages.filter(({ role }) => role === "tool").length / callsARound + 1;
    if (round > rounds) {
      yield { type: "text-delta", text: "All of it " };
      yield { type: "text-delta", text: "is done." };
      yield { type: "finish", reason: "stop", usage };
      return;
    }
    for (let n = 0; n < callsARound; n++) {
      const id = `call_${round}_${n}`;
      const name = round === askingRound && n === 0 ? "Ask" : "Work";
      const given = `{"round":${round},"n":${n}}`;
      yield { type: "tool-call-start", id, name };
      yield { type: "tool-call-delta", id, delta: given };
      yield { type: "tool-call-end", id, name, arguments: given };
    }
    yield { type: "finish", reason: "tool_calls", usage };
  },
};
