import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount, plural } from "../numbers/count.ts";

const openLink = "auf dem Rechner des Servers aus und öffne den Link in diesem Browser.";

export const settings: Catalogue["settings"] = {
  key: {
    title: "Dieser Server braucht einen API-Schlüssel",
    rejected: "Der Schlüssel wurde nicht akzeptiert.",
    ask: { before: "Bitte die Administration des Servers um einen der", after: "." },
    storage: "Der Schlüssel wird nur in diesem Tab gespeichert.",
    pair: { before: "Oder kopple diesen Browser: Führe", after: openLink },
    field: "API-Schlüssel",
    submit: "Diesen Schlüssel verwenden",
  },
  configuration: {
    before:
      "Die Einstellungsdatei erlaubt mehr als ihre zuletzt angenommene Version und gilt deshalb noch nicht. Führe zum Prüfen und Annehmen",
    after: "auf dem Rechner des Servers aus und starte den Server neu.",
  },
  pairing: {
    before:
      "Dieser Browser kann Nachrichten senden, aber keine Aufrufe freigeben. Führe zum Koppeln",
    after: openLink,
    anyone: "Alle, die diesen Server verwenden können, können Aufrufe freigeben.",
    paired:
      "Aufrufe werden in gekoppelten Browsern und Terminals freigegeben, oder mit einem API-Schlüssel, der freigeben darf.",
  },
  dialog: {
    open: "Einstellungen",
    title: "Einstellungen",
    close: "Einstellungen schließen",
    sections: "Abschnitte der Einstellungen",
    loading: "Die Einstellungen werden geladen…",
    names: {
      general: "Allgemein",
      models: "Modelle und Schlüssel",
      agents: "Agenten",
      tools: "Tools",
      usage: "Nutzung",
      data: "Daten",
    },
  },
  general: {
    theme: "Design",
    themes: { system: "System", light: "Hell", dark: "Dunkel" },
    language: "Sprache",
    systemLanguage: "Sprache des Browsers",
    languageNotLoaded: "Die Sprache wurde nicht geändert",
    mode: "Details",
    modes: { plain: "Einfach", expert: "Experte" },
    aboutMode:
      "Der Expertenmodus zeigt auch Token-Zahlen, Argumente als JSON und die Daten von Ereignissen.",
    instructions: "Anweisungen für alle Chats",
    aboutInstructions:
      "Das Modell liest sie mit jeder Nachricht. Die Anweisungen eines Agenten stehen davor.",
    save: "Speichern",
    notifications: "Benachrichtigungen",
    noNotifications:
      "Dieser Browser zeigt keine Benachrichtigungen dieser Seite. Sie brauchen HTTPS oder eine Adresse auf demselben Rechner.",
  },
  notSaved: "Die Einstellung wurde nicht gespeichert",
  picker: {
    title: "Modell auswählen",
    button: (title) => `Modell: ${title}`,
    search: "Modelle und Agenten suchen",
    default: "Standard",
    agent: "Agent",
    favorite: (title) => `Favorit: ${title}`,
    nothing: "Kein Modell und kein Agent passt zur Suche.",
  },
  agents: {
    about:
      "Ein Agent ist ein Modell mit Anweisungen und Tools. Wähle ihn in einem Chat wie ein Modell.",
    add: "Neuer Agent",
    newTitle: "Neuer Agent",
    empty: "Du hast noch keine Agenten.",
    configured: "Aus der Einstellungsdatei",
    edit: (title) => `${title} ändern`,
    remove: (title) => `${title} löschen`,
    notDeleted: "Der Agent wurde nicht gelöscht",
    overridden: "Nicht verwendet: Ein Agent der Einstellungsdatei hat denselben Namen.",
    title: "Name",
    model: "Modell",
    defaultModel: "Standardmodell des Servers",
    instructions: "Anweisungen",
    temperature: "Temperatur, von 0 bis 2 (leer: Vorgabe des Anbieters)",
    tools: "Tools",
    allGroups: "Die Tools, die im Chat eingeschaltet sind",
    groupsOfChat: "Tools des Chats",
    groups: (count) => plural(count, { one: "Tool-Gruppe", other: "Tool-Gruppen" }),
  },
  toolDefaults: {
    about:
      "Die Tool-Gruppen, die in neuen Chats eingeschaltet sind. Du kannst sie für jeden Chat im Bereich „Tools“ ändern.",
  },
  models: {
    about:
      "Hinterlege einen Schlüssel, um die Modelle eines Anbieters zu verwenden. Alle auf diesem Server können diese Modelle dann verwenden.",
    current: "Neue Nachrichten gehen an",
    closed: {
      before:
        "Nur die Administration kann Schlüssel hinterlegen. Um diesen Browser dafür zu verwenden, führe",
      after: openLink,
    },
    sources: {
      stored: "Schlüssel gespeichert",
      environment: "Aus der Umgebung",
      none: "Nicht gesetzt",
      unreadable: "Unlesbar",
    },
    storedWithoutKey: "Gespeichert",
    stored: "Sein Schlüssel wurde hier hinterlegt.",
    environment: (variable, place) =>
      place === ""
        ? `${variable} ist in der Umgebung des Servers gesetzt.`
        : `${variable} ist in der Umgebung des Servers gesetzt: ${place}`,
    none: "Kein Schlüssel ist hinterlegt.",
    aboutCustom: "Zum Beispiel LM Studio, vLLM, llama.cpp oder ein Gateway.",
    unreadable: "Der geheime Schlüssel des Servers hat sich geändert. Gib den Schlüssel neu ein.",
    add: "Hinzufügen",
    replace: "Ersetzen",
    remove: "Entfernen",
    key: (title) => `API-Schlüssel von ${title}`,
    optionalKey: "API-Schlüssel, falls der Server einen braucht",
    url: "Basis-URL",
    defaultModel: "Standardmodell, falls es nicht das erste in der Liste des Servers ist",
    storage:
      "Der Schlüssel wird erst ausprobiert, dann verschlüsselt gespeichert. Er kann nicht mehr gelesen, nur ersetzt werden.",
    trying: "Der Schlüssel wird ausprobiert…",
    save: "Ausprobieren und speichern",
  },
  data: {
    retention: "Gespeicherte Chats",
    kept: (days, megabytes) => {
      const rules = [
        ...(days === null
          ? []
          : [
              `Chats werden nach ${plural(days, { one: "Tag", other: "Tagen" })} ohne Änderung gelöscht.`,
            ]),
        ...(megabytes === null
          ? []
          : [
              `Die ältesten Chats werden gelöscht, wenn alle zusammen mehr als ${formatCount(megabytes)} MB brauchen.`,
            ]),
      ];
      return rules.length === 0
        ? "Chats bleiben auf dem Server gespeichert, bis du sie löschst."
        : rules.join(" ");
    },
  },
  usage: {
    about: "Beendete Antworten. Gelöschte Chats zählen nicht.",
    period: "Zeitraum",
    days: (days) => `Letzte ${formatCount(days)} Tage`,
    loading: "Wird geladen…",
    empty: "In diesem Zeitraum wurde kein Modell verwendet.",
    cost: "Kosten",
    input: "Tokens Eingabe",
    output: "Tokens Ausgabe",
    answers: "Antworten",
    model: "Modell",
    byModel: "Nutzung nach Modell",
    perDay: "Tokens pro Tag",
    chart: (days) => `Tokens an jedem der letzten ${formatCount(days)} Tage`,
    day: (day, tokens, cost) => `${day}: ${tokens} Tokens, Kosten ${cost}`,
    cached: (count) => `${count} davon aus dem Cache des Anbieters`,
    unknown: "–",
    atLeast: (cost) => `≥ ${cost}`,
    inExpertMode: "Der Expertenmodus zeigt auch die Tokens. Wähle ihn unter „Allgemein“.",
    unpriced:
      "Einige Modelle haben keine Preise, ihre Kosten fehlen deshalb. Die Administration kann Preise in der Einstellungsdatei setzen.",
  },
  switchTheme: { dark: "Zum dunklen Design wechseln", light: "Zum hellen Design wechseln" },
  tools: {
    about:
      "Tools, die das Modell in diesem Chat aufrufen kann. Ein Tool ist verfügbar, wenn es und seine Gruppe eingeschaltet sind.",
    aboutNew:
      "Tools, die das Modell im nächsten Chat aufrufen kann. Ein Tool ist verfügbar, wenn es und seine Gruppe eingeschaltet sind.",
    empty: "Dieser Server hat keine Tools.",
    alwaysOffered: (execution) => `${execution}, immer verfügbar`,
    found: (execution) => `${execution}, in diesem Chat gefunden`,
    needs: (what) => `braucht ${what}`,
    executions: {
      auto: "läuft ohne Freigabe",
      "ask-once": "braucht einmal eine Freigabe",
      "ask-always": "braucht jedes Mal eine Freigabe",
      deny: "läuft nie",
      depends: "braucht vielleicht eine Freigabe",
    },
  },
};
