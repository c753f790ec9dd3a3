import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes } from "../numbers/count.ts";

export const exports: Catalogue["exports"] = {
  user: "Tú",
  assistant: "Asistente",
  failed: (message) => `Este turno falló: ${message}`,
  markdown: "Exportar como Markdown",
  json: "Exportar como JSON",
  zip: "Exportar con todos los archivos",
  running: "Preparando la exportación…",
  notExported: "El chat no se exportó",
  tooLarge: (bytes, most) =>
    `sus archivos ocupan ${formatBytes(bytes)} y se pueden empaquetar como máximo ${formatBytes(most)}. Expórtalo como Markdown y descarga los archivos uno a uno.`,
};
