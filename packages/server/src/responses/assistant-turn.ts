import type { Message, ToolCallRequest, ToolMessage } from "@capstan/core";
import type { ReasoningPart } from "@capstan/core/host";

/** What a model said in one step, gathered from the items that Responses splits it into. */
export interface AssistantTurn {
  reason(part: ReasoningPart): void;
  say(text: string): void;
  /** `answer` is what the call gave, in the form of a message. */
  call(request: ToolCallRequest, answer: ToolMessage): void;
  /** Ends the step: a message of the assistant, then its calls' answers in their order. */
  end(): void;
}

export function createAssistantTurn(messages: Message[]): AssistantTurn {
  let reasoning: ReasoningPart[] = [];
  let content: string | undefined;
  let calls: ToolCallRequest[] = [];
  let answers: ToolMessage[] = [];

  const end = (): void => {
    if (content !== undefined || calls.length > 0 || reasoning.length > 0) {
      messages.push(
        {
          role: "assistant",
          content: content ?? "",
          ...(reasoning.length === 0 ? {} : { reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        ...answers,
      );
    }
    content = undefined;
    reasoning = [];
    calls = [];
    answers = [];
  };

  return {
    reason(part) {
      // Reasoning comes first in a step; after anything else it begins the next one.
      if (content !== undefined || calls.length > 0) end();
      reasoning.push(part);
    },
    say(text) {
      if (content !== undefined || calls.length > 0) end();
      content = text;
    },
    call(request, answer) {
      calls.push(request);
      answers.push(answer);
    },
    end,
  };
}
