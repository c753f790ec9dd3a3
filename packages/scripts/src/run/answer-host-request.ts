import type { ToolContext } from "@capstan/core";
import { errorMessage, readBack } from "@capstan/core/host";
import type { HostRequest, HostReply } from "./worker/messages.ts";

/** Answers a running script's request: reads the session's variables, or calls another tool through the gate. */
export async function answerHostRequest(
  request: HostRequest,
  context: ToolContext,
): Promise<HostReply> {
  try {
    switch (request.what) {
      case "variables":
        return { value: context.variables.names() };
      case "variable":
        return await readVariable(request.name, context);
      case "call_tool":
        return await callTool(request, context);
      default:
        return { error: { code: "unknown_question", message: "Nobody here can answer that." } };
    }
  } catch (error) {
    return { error: { code: "question_failed", message: errorMessage(error) } };
  }
}

async function readVariable(name: string, { variables }: ToolContext): Promise<HostReply> {
  if (variables.peekVariable(name) === undefined) await readBack(variables, name);
  const found = variables.getVariable(name);
  if (found === undefined) return { error: variables.missingVariable(name) };
  return { value: found.value.data ?? found.value.text };
}

async function callTool(
  { name, arguments: args }: Extract<HostRequest, { readonly what: "call_tool" }>,
  context: ToolContext,
): Promise<HostReply> {
  const result = await context.callTool(name, args);
  if (result.status === "success") return { value: result.data ?? null };
  const { code, message, retryable = false } = result.error;
  return { error: { code, message, retryable } };
}
