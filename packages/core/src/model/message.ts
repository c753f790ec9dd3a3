import { z } from "zod/mini";
import type { PlacedAnnotation } from "./annotation.ts";
import { type ContentPart, contentPartSchema } from "./content-part.ts";
import { neutralise, neutraliseOutside } from "../text/neutralise.ts";
import type { JsonObject } from "../base/json.ts";

/** A tool call as a model wrote it; `arguments` is the raw text. OpenAI Chat's form. */
export interface ToolCallRequest {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  /** Data to send back to the provider with this call, for example Gemini's thought signature. */
  readonly providerMetadata?: JsonObject;
  /** A limit or a filter ended the answer in the middle of the arguments: the call never runs. */
  readonly incomplete?: true;
}

/** A piece of a model's reasoning, sent back to it unchanged. */
export interface ReasoningPart {
  readonly text: string;
  readonly providerMetadata?: JsonObject;
}

/** Instructions to the model from the program or the system. */
export interface SystemMessage {
  readonly role: "system" | "developer";
  readonly content: string;
}

/** A message of the user. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string | readonly ContentPart[];
}

/** An answer of the model, with its calls. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: readonly ReasoningPart[];
  readonly tool_calls?: readonly ToolCallRequest[];
  /** The content is a refusal to answer. */
  readonly refusal?: true;
  /** The sources that the content cites, for users: models are not sent them. */
  readonly annotations?: readonly PlacedAnnotation[];
}

/** The result of a call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly name: string;
  readonly content: string;
  /** Images and files that a tool returned, for models with image or file input. */
  readonly parts?: readonly ContentPart[];
}

/** One message of a conversation, in OpenAI Chat's form, which most programs use. */
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

/** A message with the content that every provider requires. Other properties may have any value. */
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

/** A list of valid messages. */
export const messagesSchema = z.array(messageSchema, "a list of messages");

/**
 * Neutralises the system's markers in a message from outside (a user, a client, a caller's own
 * model). Returns the same object if there are none. System and developer messages stay unchanged,
 * because their author is trusted.
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

/**
 * Returns the parts with `neutralise` or `neutraliseOutside` applied to their texts; the same list
 * if nothing changes.
 */
export function safeParts(
  parts: readonly ContentPart[],
  neutralised: (text: string) => string,
): readonly ContentPart[] {
  const safe = parts.map((part) => safePart(part, neutralised));
  return safe.some((part, index) => part !== parts[index]) ? safe : parts;
}

/** Neutralises names and titles too, because the model reads them. */
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
