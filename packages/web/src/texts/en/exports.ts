import { formatBytes } from "../numbers/count.ts";

/** Texts of exported chats, and of the menu that exports them. */
export const exports = {
  user: "You",
  assistant: "Assistant",
  failed: (message: string) => `This turn failed: ${message}`,
  markdown: "Export as Markdown",
  json: "Export as JSON",
  zip: "Export with all files",
  running: "Preparing the export…",
  notExported: "The chat was not exported",
  tooLarge: (bytes: number, most: number) =>
    `its files have ${formatBytes(bytes)}; at most ${formatBytes(most)} can be packed. Export it as Markdown, and download the files one by one.`,
} as const;
