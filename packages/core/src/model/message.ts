import { isObject } from "../json/json-value.ts";
import { isContentPart, type ContentPart } from "./content-part.ts";
import { listProblem, type Members, type ShapeProblem, textProblem } from "./shape-problem.ts";
import { neutralise } from "../text/neutralise.ts";
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

/** Why this is no message, or would be none to a provider. */
export function messageProblem(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "a message" };
  const { role, content, tool_calls: calls = [], reasoning = [] } = value;
  switch (role) {
    case "system":
    case "developer":
      return textProblem(value, "content", path);
    case "user":
      return Array.isArray(content)
        ? partsProblem(value, "content", path)
        : textProblem(value, "content", path);
    case "assistant":
      return (
        textProblem(value, "content", path) ??
        listProblem(calls, `${path}.tool_calls`, request) ??
        listProblem(reasoning, `${path}.reasoning`, thought)
      );
    case "tool":
      return (
        textProblem(value, "content", path) ??
        textProblem(value, "tool_call_id", path) ??
        (value["name"] === undefined ? undefined : textProblem(value, "name", path)) ??
        (value["parts"] === undefined ? undefined : partsProblem(value, "parts", path))
      );
    default:
      return { path: `${path}.role`, value: role, expected: roles };
  }
}

const roles = "system, developer, user, assistant or tool";

/** Why these are no parts of a message. */
export function partsProblem(of: Members, key: string, path: string): ShapeProblem | undefined {
  return listProblem(of[key], `${path}.${key}`, (part, at) =>
    isContentPart(part) ? undefined : { path: at, value: part, expected: aPart },
  );
}

const aPart =
  'a part of a message such as {"type":"text","text":"…"} or {"type":"image","mimeType":"image/png","source":{"type":"url","url":"…"}}';

function thought(value: unknown, path: string): ShapeProblem | undefined {
  return isObject(value)
    ? textProblem(value, "text", path)
    : { path, value, expected: "a piece of reasoning" };
}

function request(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call" };
  const called = value["function"];
  if (!isObject(called)) return { path: `${path}.function`, value: called, expected: "an object" };
  return (
    textProblem(value, "id", path) ??
    textProblem(called, "name", `${path}.function`) ??
    textProblem(called, "arguments", `${path}.function`)
  );
}

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
      const safe = typeof content === "string" ? neutralise(content) : safeParts(content);
      return safe === content ? message : { ...message, content: safe };
    }
    case "assistant":
    case "tool": {
      const content = neutralise(message.content);
      return content === message.content ? message : { ...message, content };
    }
  }
}

function safeParts(parts: readonly ContentPart[]): readonly ContentPart[] {
  const safe = parts.map(safePart);
  return safe.some((part, index) => part !== parts[index]) ? safe : parts;
}

/** Names and titles are told to the model, too. */
function safePart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "text": {
      const text = neutralise(part.text);
      return text === part.text ? part : { ...part, text };
    }
    case "file": {
      const name = neutralise(part.name);
      return name === part.name ? part : { ...part, name };
    }
    case "link": {
      const title = part.title === undefined ? undefined : neutralise(part.title);
      return title === undefined || title === part.title ? part : { ...part, title };
    }
    case "image":
      return part;
  }
}
