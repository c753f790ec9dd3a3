import { z } from "zod/mini";
import { type ContentPart, contentPartSchema } from "./content-part.ts";
import { neutralise, neutraliseOutside } from "../text/neutralise.ts";
import type { JsonObject } from "../base/json.ts";

/** A tool call as a model wrote it; `arguments` is the raw text. OpenAI Chat's form. */
export interface ToolCallRequest {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  /** What the provider wants to see again with this call, e.g. Gemini's thought signature. */
  readonly providerMetadata?: JsonObject;
}

/** A piece of a model's reasoning, carried back to it as it came. */
export interface ReasoningPart {
  readonly text: string;
  readonly providerMetadata?: JsonObject;
}

export interface SystemMessage {
  readonly role: "system" | "developer";
  readonly content: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly ContentPart[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: readonly ReasoningPart[];
  readonly tool_calls?: readonly ToolCallRequest[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string;
  /** Pictures and files a tool returned, for models that can look at them. */
  readonly parts?: readonly ContentPart[];
}

/** One message of a conversation, in OpenAI Chat's form, the one that most programs keep. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

const text = z.string("text");
const parts = z.array(contentPartSchema, "a list of content parts");
const toolCalls = z.array(
  z.looseObject(
    {
      function: z.looseObject({ name: text, arguments: text }, "an object"),
      id: text,
    },
    "a tool call",
  ),
  "a list of tool calls",
);
const reasoning = z.array(z.looseObject({ text }, "a piece of reasoning"), "a list");

/** A message, with the content that every provider requires. Other properties may have any value. */
export const messageSchema = z.discriminatedUnion(
  "role",
  [
    z.looseObject({ role: z.enum(["system", "developer"]), content: text }),
    z.looseObject({ role: z.literal("user"), content: z.union([text, parts], "text") }),
    z.looseObject({
      role: z.literal("assistant"),
      content: text,
      tool_calls: z.optional(toolCalls),
      reasoning: z.optional(reasoning),
    }),
    z.looseObject({
      role: z.literal("tool"),
      content: text,
      tool_call_id: text,
      name: z.optional(text),
      parts: z.optional(parts),
    }),
  ],
  {
    error: ({ code }: { readonly code: string }) =>
      code === "invalid_union" ? "system, developer, user, assistant or tool" : "a message",
  },
);

export const messagesSchema = z.array(messageSchema, "a list of messages");

/**
 * A message from outside (a person, a client, a caller's own model), without marks that only the
 * system may write; the same object where there are none. What a system or developer message says
 * is its author's word, and stays.
 */
export function neutraliseMessage(message: Message): Message {
  switch (message.role) {
    case "system":
    case "developer":
      return message;
    case "user": {
      const { content } = message;
      const safe =
        typeof content === "string" ? neutralise(content) : safeParts(content, neutralise);
      return safe === content ? message : { ...message, content: safe };
    }
    case "assistant": {
      const content = neutralise(message.content);
      return content === message.content ? message : { ...message, content };
    }
    case "tool": {
      const content = neutraliseOutside(message.content);
      const parts = message.parts && safeParts(message.parts, neutraliseOutside);
      if (content === message.content && parts === message.parts) return message;
      return { ...message, content, ...(parts !== undefined && { parts }) };
    }
  }
}

/** The parts with `neutralise` or `neutraliseOutside` applied to their texts; the same list if nothing changes. */
export function safeParts(
  parts: readonly ContentPart[],
  neutralised: (text: string) => string,
): readonly ContentPart[] {
  const safe = parts.map((part) => safePart(part, neutralised));
  return safe.some((part, index) => part !== parts[index]) ? safe : parts;
}

/** Names and titles are told to the model, too. */
function safePart(part: ContentPart, neutralised: (text: string) => string): ContentPart {
  switch (part.type) {
    case "text": {
      const text = neutralised(part.text);
      return text === part.text ? part : { ...part, text };
    }
    case "file": {
      const name = neutralised(part.name);
      return name === part.name ? part : { ...part, name };
    }
    case "link": {
      const title = part.title === undefined ? undefined : neutralised(part.title);
      return title === undefined || title === part.title ? part : { ...part, title };
    }
    case "image":
      return part;
  }
}
