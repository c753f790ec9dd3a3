import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount, plural } from "../numbers/count.ts";

export const inbox: Catalogue["inbox"] = {
  title: "Wartet auf dich",
  open: (count) =>
    plural(count, { one: "Anfrage wartet auf dich", other: "Anfragen warten auf dich" }),
  empty: "Keine offenen Anfragen.",
  about: "Aufrufe in allen Chats, die deine Freigabe brauchen.",
  ofChat: (title) => `In „${title}“`,
  openChat: "Chat öffnen",
  notOpened: "Die Anfrage konnte nicht geöffnet werden",
  ofProgram: "Von einem Programm",
  unknown: (title) => `Ein Aufruf in „${title}“ kann gewirkt haben.`,
  unknownAnswer: "Ausgang melden",
  together: {
    allow: (count) => `Alle ${formatCount(count)} einmal erlauben`,
    about: (tools) => `Erlaubt nur lesende Aufrufe, die ganz angezeigt sind: ${tools}.`,
    failed: "Nicht alle Aufrufe konnten erlaubt werden",
  },
  answered: (tool, answer, time) =>
    `${tool}: ${answer}, um ${time}, in einem anderen Fenster oder Programm.`,
  ended: (tool, reason, time) => `${tool}: ${reason}, um ${time}.`,
  answers: {
    pending: "offen",
    allowed: "du hast es erlaubt",
    refused: "du hast es abgelehnt",
    released: "du hast das Ergebnis freigegeben",
    redacted: "du hast das Ergebnis geschwärzt freigegeben",
    replaced: "du hast das Ergebnis ersetzt",
    withheld: "du hast das Ergebnis zurückgehalten",
    expired: "abgelaufen",
    cancelled: "der Durchlauf ist beendet",
  },
  notifications: {
    offer: "Benachrichtige mich, wenn diese Seite verdeckt ist",
    on: "Dieser Browser meldet dir neue Anfragen, wenn diese Seite verdeckt ist.",
    off: "Ausschalten",
    denied:
      "Dieser Browser blockiert Benachrichtigungen dieser Seite. Erlaube sie in den Einstellungen des Browsers.",
    title: (tool) => `${tool} braucht deine Freigabe`,
    body: (chat) => `In „${chat}“`,
  },
};
