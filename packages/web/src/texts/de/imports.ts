import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes, formatCount, plural } from "../numbers/count.ts";

const chat = { one: "Chat", other: "Chats" };

export const imports: Catalogue["imports"] = {
  title: "Chats importieren",
  about:
    "Chats aus ChatGPT (ZIP-Archiv oder conversations.json), LibreChat (JSON) und Open WebUI (JSON). Importiert werden die Texte, ohne Bilder und Dateien. Du kannst jeden Chat fortsetzen.",
  choose: "Export auswählen",
  reading: "Der Export wird gelesen…",
  progress: (done, all) => `${formatCount(done)} von ${plural(all, chat)} importiert…`,
  stop: "Stoppen",
  stopped: "Der Import wurde gestoppt. Nichts wurde importiert.",
  failed: (reason) => `${reason} Nichts wurde importiert.`,
  done: (count, source, skipped) =>
    `${plural(count, chat)} aus ${source} importiert.${
      skipped === 0 ? "" : ` ${plural(skipped, chat)} ohne Nachrichten oder zu groß, ausgelassen.`
    }`,
  unfinished: "Ein Import wurde unterbrochen.",
  undo: "Importierte Chats löschen",
  undoing: "Die importierten Chats werden gelöscht…",
  undone: (count) =>
    `${plural(count, { one: "importierter Chat", other: "importierte Chats" })} gelöscht.`,
  notUndone: "Nicht alle importierten Chats wurden gelöscht",
  notJson: "Die Datei ist weder JSON noch ein ZIP-Archiv von ChatGPT.",
  unknown: "Die Datei ist kein Export von ChatGPT, LibreChat oder Open WebUI.",
  empty: "Der Export enthält keine Chats mit Nachrichten.",
  tooMany: (count, most) =>
    `Der Export enthält ${formatCount(count)} Chats; höchstens ${formatCount(most)} können auf einmal importiert werden.`,
  tooLarge: (most) => `Der Export ist größer als ${formatBytes(most)}.`,
  brokenArchive: "Das ZIP-Archiv ist beschädigt.",
  noConversations: "Das ZIP-Archiv enthält keine conversations.json.",
};
