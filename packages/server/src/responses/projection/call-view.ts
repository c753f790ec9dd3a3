import type { CallOwner, ChainEvent, JsonObject } from "@capstan/core";

/** What the projection remembers of a call that is not settled. Plain JSON. */
export interface CallView {
  readonly callId: string;
  /** As the model wrote it. */
  readonly name: string;
  readonly owner: CallOwner;
  readonly argumentsText: string;
  /** Resolved and validated. */
  readonly args?: JsonObject;
  /** `group.Tool`; absent where no tool was found. */
  readonly toolId?: string;
  readonly parentCallId?: string;
  /** Its words are a message of their own. */
  readonly final?: true;
  /** The approval it waits for, or was given. */
  readonly approvalId?: string;
}

export function callView(event: Extract<ChainEvent, { type: "call.proposed" }>): CallView {
  const { callId, name, owner, argumentsText, args, toolId, parentCallId, final } = event;
  return {
    callId,
    name,
    owner,
    argumentsText,
    ...(args === undefined ? {} : { args }),
    ...(toolId === undefined ? {} : { toolId }),
    ...(parentCallId === undefined ? {} : { parentCallId }),
    ...(final === undefined ? {} : { final }),
  };
}

/** The two halves of `group.Tool`. */
export function toolIdParts(toolId: string): { readonly group: string; readonly tool: string } {
  const dot = toolId.indexOf(".");
  return { group: toolId.slice(0, dot), tool: toolId.slice(dot + 1) };
}

/**
 * A call's arguments as a client reads them: what a person approved, else the model's own text,
 * which holds references rather than the values behind them.
 */
export function wireArguments(call: CallView): string {
  if (call.approvalId !== undefined && call.args !== undefined) return JSON.stringify(call.args);
  if (isJsonObject(call.argumentsText)) return call.argumentsText;
  if (call.args !== undefined) return JSON.stringify(call.args);
  return call.argumentsText.trim() === "" ? "{}" : call.argumentsText;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
