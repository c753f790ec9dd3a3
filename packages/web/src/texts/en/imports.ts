import { formatBytes, formatCount, plural } from "../numbers/count.ts";

/** Texts of the import of chats. */
export const imports = {
  title: "Import chats",
  about:
    "Chats of ChatGPT (the ZIP archive or conversations.json), LibreChat (JSON) and Open WebUI (JSON). The texts are imported, without pictures and files. You can continue each chat.",
  choose: "Choose an export",
  reading: "Reading the export…",
  progress: (done: number, all: number) =>
    `Importing ${formatCount(done)} of ${plural(all, { one: "chat", other: "chats" })}…`,
  stop: "Stop",
  stopped: "The import was stopped. Nothing was imported.",
  failed: (reason: string) => `${reason} Nothing was imported.`,
  done: (count: number, source: string, skipped: number) =>
    `${plural(count, { one: "chat", other: "chats" })} of ${source} imported.${
      skipped === 0
        ? ""
        : ` ${plural(skipped, { one: "chat", other: "chats" })} without messages, or too large, left out.`
    }`,
  unfinished: "An import was interrupted.",
  undo: "Delete the imported chats",
  undoing: "Deleting the imported chats…",
  undone: (count: number) =>
    `${plural(count, { one: "imported chat", other: "imported chats" })} deleted.`,
  notUndone: "Not all imported chats were deleted",
  notJson: "The file is not JSON, and not a ZIP archive of ChatGPT.",
  unknown: "The file is not an export of ChatGPT, LibreChat or Open WebUI.",
  empty: "The export has no chats with messages.",
  tooMany: (count: number, most: number) =>
    `The export has ${formatCount(count)} chats; at most ${formatCount(most)} can be imported at once.`,
  tooLarge: (most: number) => `The export is larger than ${formatBytes(most)}.`,
  brokenArchive: "The ZIP archive is corrupt.",
  noConversations: "The ZIP archive has no conversations.json.",
} as const;
