import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatBytes, formatCount, plural } from "../numbers/count.ts";

export const imports: Catalogue["imports"] = {
  title: "Importar chats",
  about:
    "Chats de ChatGPT (el archivo ZIP o conversations.json), LibreChat (JSON) y Open WebUI (JSON). Se importan los textos, sin imágenes ni archivos. Puedes continuar cada chat.",
  choose: "Elegir una exportación",
  reading: "Leyendo la exportación…",
  progress: (done, all) =>
    `Importando ${formatCount(done)} de ${plural(all, { one: "chat", other: "chats" })}…`,
  stop: "Detener",
  stopped: "La importación se detuvo. No se importó nada.",
  failed: (reason) => `${reason} No se importó nada.`,
  done: (count, source, skipped) =>
    `${plural(count, { one: "chat importado", other: "chats importados" })} de ${source}.${
      skipped === 0
        ? ""
        : ` ${plural(skipped, { one: "chat sin mensajes o demasiado grande se omitió", other: "chats sin mensajes o demasiado grandes se omitieron" })}.`
    }`,
  unfinished: "Se interrumpió una importación.",
  undo: "Eliminar los chats importados",
  undoing: "Eliminando los chats importados…",
  undone: (count) =>
    `${plural(count, { one: "chat importado eliminado", other: "chats importados eliminados" })}.`,
  notUndone: "No se eliminaron todos los chats importados",
  notJson: "El archivo no es JSON ni un archivo ZIP de ChatGPT.",
  unknown: "El archivo no es una exportación de ChatGPT, LibreChat u Open WebUI.",
  empty: "La exportación no tiene chats con mensajes.",
  tooMany: (count, most) =>
    `La exportación tiene ${formatCount(count)} chats; se pueden importar como máximo ${formatCount(most)} a la vez.`,
  tooLarge: (most) => `La exportación ocupa más de ${formatBytes(most)}.`,
  brokenArchive: "El archivo ZIP está dañado.",
  noConversations: "El archivo ZIP no tiene conversations.json.",
};
