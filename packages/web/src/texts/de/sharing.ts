import type { Catalogue } from "../catalogue/catalogue.ts";

export const sharing: Catalogue["sharing"] = {
  menu: "Per Link teilen…",
  title: "Diesen Chat teilen",
  close: "Schließen",
  about:
    "Wer den Link hat, kann den Chat im jetzigen Stand lesen, ohne Schlüssel. Spätere Nachrichten werden nicht geteilt.",
  shown:
    "Der Link zeigt die Nachrichten und die Namen der aufgerufenen Tools und angehängten Dateien.",
  includeCalls: "Auch zeigen, was Tools erhalten und geliefert haben",
  includeCallsNote: "Prüfe vorher, dass kein Aufruf Geheimnisse oder private Daten enthält.",
  create: "Link erstellen",
  replace: "Link ersetzen",
  revoke: "Link widerrufen",
  copy: "Link kopieren",
  link: "Link",
  onlyNow: "Kopiere ihn jetzt: Er wird nicht noch einmal angezeigt.",
  sharedSince: (date) => `Ein Link besteht seit ${date}. Er zeigt den Chat im damaligen Stand.`,
  notShared: "Es gibt keinen Link.",
  notCreated: "Der Link wurde nicht erstellt",
  notRevoked: "Der Link wurde nicht widerrufen",
  list: "Geteilte Chats",
  listNone: "Kein Chat ist geteilt.",
  listOff:
    'Links sind ausgeschaltet. Die Administration schaltet sie mit "sharing": true in capstan.config.json ein.',
  untitled: "Chat ohne Titel",
  since: (date) => `seit ${date}`,
  page: {
    loading: "Der Chat wird geladen…",
    missing: "Diesen Link gibt es nicht, oder er wurde widerrufen.",
    failed: (reason) => `Der Chat konnte nicht geladen werden: ${reason}`,
    asOf: (date) => `Geteilt am ${date}. Spätere Nachrichten werden nicht angezeigt.`,
    user: "Mensch",
    assistant: "Assistent",
    call: (name) => `Aufruf von ${name}`,
    received: "Erhalten",
    returned: "Geliefert",
    files: "Angehängte Dateien",
    made: "Erstellt mit Capstan",
  },
};
