import type { Message } from "@capstan/core";

const titleChars = 80;

/** A title comes from the beginning of a text: a message can have many megabytes. */
const readChars = 10_000;

/** Returns the first words of the user's text as a title, or null if there is no text. */
export function titleFrom(messages: readonly Message[]): string | null {
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const words = beginningOf(content).replace(/\s+/g, " ").trim();
    if (words !== "")
      return words.length <= titleChars
        ? words
        : `${words.slice(0, titleChars - 1).toWellFormed()}…`;
  }
  return null;
}

function beginningOf(content: Message["content"]): string {
  if (typeof content === "string") return content.trimStart().slice(0, readChars);
  let text = "";
  for (const part of content) {
    if (part.type === "text") text += ` ${part.text.trimStart().slice(0, readChars)}`;
    if (text.length > readChars) break;
  }
  return text;
}
