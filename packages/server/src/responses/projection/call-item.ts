import type { ChainEvent, JsonObject } from "@capstan/core";
import type { CallOwner } from "@capstan/core/host";
import { type SharedText, sharedText } from "./shared-text.ts";

/** What the projection remembers of a server's call that is not settled. */
export interface CallView {
  readonly callId: string;
  /** As the model wrote it. */
  readonly name: string;
  readonly owner: CallOwner;
  readonly argumentsText: SharedText;
  /** Resolved and validated, as JSON. */
  readonly args?: SharedText;
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
    argumentsText: sharedText(argumentsText),
    ...(args === undefined ? {} : { args: argsText(args) }),
    ...(toolId === undefined ? {} : { toolId }),
    ...(parentCallId === undefined ? {} : { parentCallId }),
    ...(final === undefined ? {} : { final }),
  };
}

export function argsText(args: JsonObject): SharedText {
  return sharedText(JSON.stringify(args));
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
export function wireArguments({ argumentsText, args, approvalId }: CallView): SharedText {
  if (args !== undefined && (approvalId !== undefined || !isJsonObject(argumentsText.text)))
    return args;
  return argumentsText.text.trim() === "" ? sharedText("{}") : argumentsText;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
