import type { Catalogue } from "../catalogue/catalogue.ts";

export const shortcuts: Catalogue["shortcuts"] = {
  title: "Tastenkürzel",
  close: "Liste der Tastenkürzel schließen",
  open: "Tastenkürzel anzeigen",
  list: [
    { keys: ["Enter"], does: "Nachricht senden" },
    { keys: ["Umschalt", "Enter"], does: "Zeile in die Nachricht einfügen" },
    { keys: ["Strg", "K"], does: "Chats durchsuchen" },
    { keys: ["Esc"], does: "Bereich schließen oder Durchlauf stoppen" },
    { keys: ["Alt", "A"], does: "Aufruf erlauben, der eine Freigabe braucht" },
    { keys: ["Alt", "S"], does: "Weitere solche Aufrufe erlauben" },
    { keys: ["Alt", "R"], does: "Aufruf ablehnen: Der erste Druck wählt das Feld für den Grund" },
    { keys: ["Alt", "E"], does: "Argumente des Aufrufs bearbeiten" },
    { keys: ["Alt", "V"], does: "Ganzen Aufruf anzeigen" },
    { keys: ["?"], does: "Diese Liste anzeigen" },
  ],
};
