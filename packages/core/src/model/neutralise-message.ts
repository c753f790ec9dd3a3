import type { Message } from "./message.ts";
import type { ContentPart } from "./content-part.ts";
import { neutralise } from "../text/neutralise.ts";

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
