import { compileSchema, type PatternEngine } from "../../arguments/validator.ts";
import type { AssistantMessage, Message } from "../../model/message.ts";
import { cutsOff } from "../../model/incomplete-calls.ts";
import type { FinishReason, ResponseFormat } from "../../model/model.ts";
import type { ChainError } from "../journal/chain-result.ts";

/** The maximum number of problems in the message that asks for a correction. */
const maxProblems = 8;

/**
 * Returns why a final answer does not match the strict JSON schema of the request, or `undefined` if
 * it does or none is required. Refusals, answers that were cut off and answers with calls are not
 * checked.
 */
export function answerProblem(
  {
    message,
    finishReason,
  }: { readonly message: AssistantMessage; readonly finishReason: FinishReason },
  format: ResponseFormat | undefined,
  pattern: PatternEngine | undefined,
): string | undefined {
  if (format?.type !== "json_schema" || format.strict !== true) return undefined;
  const { content, tool_calls: calls = [], refusal } = message;
  if (content.trim() === "" || calls.length > 0 || refusal === true || cutsOff(finishReason))
    return undefined;
  const compiled = compileSchema(format.schema, { pattern });
  // This library cannot use the schema, but the provider may have enforced it.
  if (compiled.status === "refused") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return "it is not JSON";
  }
  const issues = compiled.validator.validate(value).slice(0, maxProblems);
  return issues.length === 0 ? undefined : issues.map(({ message: text }) => text).join("; ");
}

/** Returns the messages that ask the model to correct an answer. */
export function correctionOf(
  rejected: AssistantMessage,
  format: ResponseFormat | undefined,
  problem: string,
): readonly Message[] {
  const content = `Your answer does not match the JSON schema ${nameOf(format)}: ${problem}. Answer again with only the corrected JSON.`;
  return [
    { role: "assistant", content: rejected.content },
    { role: "developer", content },
  ];
}

/** Returns the error of a model whose second answer did not match either. */
export function formatError(format: ResponseFormat | undefined, problem: string): ChainError {
  const message = `The model's second answer does not match the JSON schema ${nameOf(format)} either: ${problem}. Simplify the schema, or choose another model.`;
  return { code: "format_mismatch", message, phase: "final_response" };
}

function nameOf(format: ResponseFormat | undefined): string {
  return format?.type === "json_schema" ? JSON.stringify(format.name) : "of the request";
}
