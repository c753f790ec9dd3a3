import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import {
  answer,
  callIds,
  prompt,
  toolDescription,
  toolName,
  type LoopScript,
  type LoopSubject,
} from "../subject.ts";

export const prepare: LoopSubject = (script) => {
  let executed = 0;
  const noop = tool(
    () => {
      executed += 1;
      return "ok";
    },
    { name: toolName, description: toolDescription, schema: z.object({ value: z.number() }) },
  );
  const agent = createAgent({ model: new ScriptedModel(script), tools: [noop] });
  return async () => {
    const result = await agent.invoke(
      { messages: [{ role: "user", content: prompt }] },
      { recursionLimit: 2 * script.rounds + 10 },
    );
    return { executed, answer: result.messages.at(-1)?.text ?? "" };
  };
};

class ScriptedModel extends BaseChatModel {
  readonly #script: LoopScript;
  #round = 0;

  constructor(script: LoopScript) {
    super({});
    this.#script = script;
  }

  override _llmType(): string {
    return "scripted";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<ChatResult> {
    const message = this.#round < this.#script.rounds ? this.#toolCalls() : new AIMessage(answer);
    return { generations: [{ text: message.text, message }] };
  }

  #toolCalls(): AIMessage {
    const ids = callIds(this.#round++, this.#script);
    return new AIMessage({
      content: "",
      tool_calls: ids.map((id) => ({ type: "tool_call", id, name: toolName, args: { value: 1 } })),
    });
  }
}
