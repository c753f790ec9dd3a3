import { z } from "zod";
import { checked } from "../../http/errors.ts";
import { metadata, objectBody, rejectUnknown } from "./fields.ts";
import { type CreatedMessage, parseMessages } from "./parse-message.ts";
import { parseToolResources, type ToolResources } from "./tool-resources.ts";

/** A parsed thread of a request. */
export interface ParsedThread {
  readonly messages: readonly CreatedMessage[];
  readonly metadata: { readonly [key: string]: string };
  readonly resources: ToolResources | null;
}

const newThread = z.object({
  messages: z.unknown().optional(),
  metadata,
  tool_resources: z.unknown().optional(),
});

/**
 * Parses a thread of a request.
 *
 * @param at its path in the request; empty if it is the whole request
 */
export function parseThread(given: unknown, at = ""): ParsedThread {
  const body = objectBody(given);
  rejectUnknown(body, newThread.shape, { at });
  const parsed = checked(newThread, body, at);
  const inside = at === "" ? "" : `${at}.`;
  return {
    messages: parseMessages(parsed.messages, `${inside}messages`),
    metadata: parsed.metadata ?? {},
    resources: parseToolResources(parsed.tool_resources, `${inside}tool_resources`),
  };
}
