import { createSignal } from "solid-js";

const conversationPath = /^#\/c\/([^/]+)$/;

function read(): string | null {
  const found = conversationPath.exec(location.hash)?.[1];
  return found === undefined ? null : decodeURIComponent(found);
}

const [conversation, setConversation] = createSignal<string | null>(read());

/** The conversation that the address names; null for a new chat. */
export const routedConversation = conversation;

addEventListener("hashchange", () => setConversation(read()));

export function conversationHref(id: string): string {
  return `#/c/${encodeURIComponent(id)}`;
}

export function navigateTo(id: string | null): void {
  location.hash = id === null ? "#/" : conversationHref(id);
}
