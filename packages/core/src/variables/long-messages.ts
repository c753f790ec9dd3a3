import { digest } from "../json/json-value.ts";
import type { Message, UserMessage } from "../model/message.ts";
import type { ContentPart } from "../model/content-part.ts";
import type { VariableSystem } from "./variable-system.ts";

/**
 * Stores long user messages as `MessageCache` variables, and shows the model their names. The model
 * can then pass a long text to a tool by reference. The name is derived from the text, so a
 * repeated message is the same variable. If a user removed the variable, it is not stored again.
 *
 * @returns the messages for the model; the same objects if none is long
 */
export function nameLongMessages(
  messages: readonly Message[],
  variables: VariableSystem,
): readonly Message[] {
  if (!messages.some(isLong)) return messages;
  return messages.map((message) => (isLong(message) ? withNames(message, variables) : message));
}

function isLong(message: Message): message is UserMessage {
  if (message.role !== "user") return false;
  const { content } = message;
  return typeof content === "string" ? isLongText(content) : content.some(isLongPart);
}

function isLongText(text: string): boolean {
  return text.length >= minNamedChars;
}

function isLongPart(part: ContentPart): part is Extract<ContentPart, { readonly type: "text" }> {
  return part.type === "text" && isLongText(part.text);
}

function withNames(message: UserMessage, variables: VariableSystem): UserMessage {
  const { content } = message;
  if (typeof content === "string")
    return { ...message, content: named(content, message, variables) };
  const parts = content.map((part) =>
    isLongPart(part) ? { ...part, text: named(part.text, part, variables) } : part,
  );
  return { ...message, content: parts };
}

/** @param origin the object that contains the text */
function named(text: string, origin: object, variables: VariableSystem): string {
  const name = nameOf(text, origin);
  return isKept(name, text, variables) ? `${text}\n\n[Stored as ${name}]` : text;
}

function isKept(name: string, text: string, variables: VariableSystem): boolean {
  const there = variables.peekVariable(name);
  // A variable of another type may have the name.
  if (there !== undefined) return there.type === "MessageCache" && there.length === text.length;
  if (variables.missingVariable(name).code === "variable_removed") return false;
  const beginning = text.slice(0, 80).toWellFormed().replaceAll(/\s+/g, " ").trim();
  const desc = `A message of the user: ${beginning}…`;
  return variables.addVariable(name, text, "MessageCache", desc).status === "set";
}

/** Caches the names, because the loop needs them in every round. */
const names = new WeakMap<object, string>();

function nameOf(text: string, origin: object): string {
  const known = names.get(origin);
  if (known !== undefined) return known;
  const name = `Message-${digest(text).slice(0, 8)}`;
  names.set(origin, name);
  return name;
}

/**
 * The minimum length in characters of a text that gets a variable name: to copy it would take more
 * tokens than the name.
 */
export const minNamedChars = 2_000;
