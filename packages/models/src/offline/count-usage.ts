import type { Message, ModelRequest, Usage } from "@capstan/core";
import { countTokens } from "../tokens/count-tokens.ts";
import { textOfUser } from "./plain-answer.ts";
import type { Reply } from "./plan-reply.ts";

/** The tokens of a request and its reply, as our own tokenizer counts them. */
export function countUsage({ messages, tools }: ModelRequest, reply: Reply): Usage {
  const definitions = tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
  const inputTokens = messages.reduce((sum, message) => sum + messageTokens(message), definitions);
  const said =
    reply.type === "text"
      ? countTokens(reply.text)
      : reply.calls.reduce((sum, call) => sum + countTokens(call.name + call.arguments), 0);
  return { inputTokens, outputTokens: said };
}

function messageTokens(message: Message): number {
  if (message.role === "user") return countTokens(textOfUser(message));
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : [];
  return calls.reduce(
    (sum, call) => sum + countTokens(call.function.name + call.function.arguments),
    countTokens(message.content),
  );
}
