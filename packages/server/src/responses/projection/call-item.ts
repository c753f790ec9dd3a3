import type { ChainEvent, JsonObject } from "@capstan/core";
import type { CallOwner } from "@capstan/core/host";
import { type InternedText, internText } from "./interned-text.ts";

/** An open call of the server, as the projection remembers it. */
export interface ServerCallItem {
  readonly callId: string;
  /** As the model wrote it. */
  readonly name: string;
  readonly owner: CallOwner;
  readonly argumentsText: InternedText;
  /** Resolved and validated, as JSON. */
  readonly args?: InternedText;
  /** `group.Tool`; absent where no tool was found. */
  readonly toolId?: string;
  readonly parentCallId?: string;
  /** Its words are a message of their own. */
  readonly final?: true;
  /** The approval it waits for, or was given. */
  readonly approvalId?: string;
}

export function serverCallItem(
  event: Extract<ChainEvent, { type: "call.proposed" }>,
): ServerCallItem {
  const { callId, name, owner, argumentsText, args, toolId, parentCallId, final } = event;
  return {
    callId,
    name,
    owner,
    argumentsText: internText(argumentsText),
    ...(args === undefined ? {} : { args: argsText(args) }),
    ...(toolId === undefined ? {} : { toolId }),
    ...(parentCallId === undefined ? {} : { parentCallId }),
    ...(final === undefined ? {} : { final }),
  };
}

export function argsText(args: JsonObject): InternedText {
  return internText(JSON.stringify(args));
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
export function wireArguments({ argumentsText, args, approvalId }: ServerCallItem): InternedText {
  if (args !== undefined && (approvalId !== undefined || !isJsonObject(argumentsText.text)))
    return args;
  return argumentsText.text.trim() === "" ? internText("{}") : argumentsText;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
