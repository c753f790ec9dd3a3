import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes } from "../numbers/count.ts";

export const exports: Catalogue["exports"] = {
  user: "Du",
  assistant: "Assistent",
  failed: (message) => `Dieser Durchlauf ist fehlgeschlagen: ${message}`,
  markdown: "Als Markdown exportieren",
  json: "Als JSON exportieren",
  zip: "Mit allen Dateien exportieren",
  running: "Der Export wird vorbereitet…",
  notExported: "Der Chat wurde nicht exportiert",
  tooLarge: (bytes, most) =>
    `Seine Dateien haben ${formatBytes(bytes)}; höchstens ${formatBytes(most)} können gepackt werden. Exportiere den Chat als Markdown und lade die Dateien einzeln herunter.`,
};
