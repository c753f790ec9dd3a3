import { importTexts } from "../texts/import.ts";
import { type ImportedChat, type ImportSource, objectsIn } from "./imported-chat.ts";
import { isChatGpt, readChatGpt } from "./read-chatgpt.ts";
import { isLibreChat, readLibreChat } from "./read-librechat.ts";
import { isOpenWebUi, readOpenWebUi } from "./read-open-webui.ts";

/** The chats of an export. */
export interface Export {
  readonly source: ImportSource;
  /** Oldest first. */
  readonly chats: readonly ImportedChat[];
  /** The number of chats that have no messages, or are too large. */
  readonly skipped: number;
}

/** The maximum number of chats and of bytes in an export, and of characters in a chat. */
export const importLimits = { chats: 5_000, bytes: 300_000_000, chatLength: 10_000_000 } as const;
/** The maximum length of a message in UTF-16 code units. */
const longestMessage = 500_000;

const formats = [
  { source: "ChatGPT", is: isChatGpt, read: readChatGpt },
  { source: "Open WebUI", is: isOpenWebUi, read: readOpenWebUi },
  { source: "LibreChat", is: isLibreChat, read: readLibreChat },
] as const;

/**
 * Reads the JSON of an export. It is untrusted: chats without messages are skipped.
 *
 * @throws Error if it is not an export of a known program, or if it is too large
 */
export function readExport(json: string): Export {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new Error(importTexts.notJson);
  }
  const list = objectsIn(Array.isArray(parsed) ? parsed : [parsed]);
  const format = formats.find(({ is }) => list.some(is));
  if (format === undefined) throw new Error(importTexts.unknown);
  const of = list.filter(format.is);
  if (of.length > importLimits.chats)
    throw new Error(importTexts.tooMany(of.length, importLimits.chats));
  const chats = of.map(format.read).filter(isImportable);
  if (chats.length === 0) throw new Error(importTexts.empty);
  const age = ({ createdAt }: ImportedChat) => createdAt ?? 0;
  return {
    source: format.source,
    chats: chats.toSorted((a, b) => age(a) - age(b)),
    skipped: list.length - chats.length,
  };
}

function isImportable({ messages }: ImportedChat): boolean {
  const length = messages.reduce((sum, { text }) => sum + text.length, 0);
  return (
    messages.length > 0 &&
    length <= importLimits.chatLength &&
    messages.every(({ text }) => text.length <= longestMessage)
  );
}
