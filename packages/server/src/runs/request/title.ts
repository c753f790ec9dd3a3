import type { Message } from "@capstan/core";

const titleChars = 80;

/** Returns the first words of the user's text as a title, or null if there is no text. */
export function titleFrom(messages: readonly Message[]): string | null {
  for (const { role, content } of messages) {
    if (role !== "user") continue;
    const parts =
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
    const words = parts.replace(/\s+/g, " ").trim();
    if (words !== "")
      return words.length <= titleChars
        ? words
        : `${words.slice(0, titleChars - 1).toWellFormed()}…`;
  }
  return null;
}
