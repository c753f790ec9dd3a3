import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount, plural } from "../numbers/count.ts";

const interrupted = {
  title: "Der Server wurde mitten in diesem Durchlauf beendet",
  advice: "Fertige Arbeit ist gespeichert. Laufende Aufrufe können gewirkt haben.",
};

const limits: { readonly [limit: string]: string } = {
  rounds: "Dieser Durchlauf hat seine Höchstzahl an Runden erreicht.",
  calls: "Dieser Durchlauf hat seine Höchstzahl an Aufrufen erreicht.",
  tokens: "Dieser Durchlauf hat seine Tokens verbraucht.",
  time: "Dieser Durchlauf hat seine Zeit verbraucht.",
  cost: "Dieser Durchlauf hat sein Budget verbraucht.",
  repeats: "Derselbe Aufruf ist mehrmals fehlgeschlagen.",
};

export const chat: Catalogue["chat"] = {
  label: "Chat",
  messages: "Nachrichten",
  opening: "Der Chat wird geöffnet…",
  missing: "Diesen Chat gibt es nicht. Vielleicht wurde er gelöscht.",
  startNew: "Neuen Chat beginnen",
  tryAgain: "Erneut versuchen",
  announce: {
    answer: (text) => `Antwort: ${text}`,
    approval: (tool) => `${tool} braucht deine Freigabe.`,
    review: (tool) => `Das Ergebnis von ${tool} braucht deine Freigabe.`,
  },
  composer: {
    label: "Neue Nachricht",
    message: "Nachricht",
    placeholder: "Was soll erledigt werden?",
    offlinePlaceholder: "/help, oder ein /Tool {…} pro Zeile",
    toolGroups: "Aktive Tool-Gruppen",
    groups: (count) => plural(count, { one: "Gruppe", other: "Gruppen" }),
    send: "Senden",
    sendTitle: "Senden (Enter)",
    stop: "Stoppen",
    stopTitle: "Stoppen (Esc)",
    sendHint: "sendet,",
    newLineHint: "fügt eine Zeile ein",
    stopHint: "stoppt den Durchlauf",
    queueHint: "sendet nach diesem Durchlauf,",
  },
  attachments: {
    attach: "Dateien anhängen",
    attachTitle: "Dateien anhängen. Du kannst sie auch einfügen oder auf den Chat ziehen",
    list: "Dateien dieser Nachricht",
    uploading: "Wird hochgeladen…",
    drop: "Dateien zum Anhängen ablegen",
    pastedName: "eingefügter Text.txt",
    retry: (name) => `${name} erneut hochladen`,
    remove: (name) => `${name} entfernen`,
    tooMany: (most, leftOut) =>
      `Eine Nachricht hat höchstens ${formatCount(most)} Dateien. ${plural(leftOut, { one: "Datei wurde", other: "Dateien wurden" })} nicht angehängt.`,
  },
  queue: {
    label: "Nachrichten in der Warteschlange",
    add: "Nach diesem Durchlauf senden",
    about: "Wird nach diesem Durchlauf gesendet:",
    held: "Nicht gesendet, weil der Durchlauf nicht fertig wurde:",
    edit: "Nachricht ändern",
    remove: "Nachricht entfernen",
  },
  stale:
    "Dieser Chat hat neue Nachrichten aus einem anderen Fenster oder Programm, die jetzt oben stehen. Deine Nachricht wurde nicht gesendet: Prüfe sie und sende sie noch einmal.",
  failures: {
    authentication: {
      title: "Der Anbieter akzeptiert den Schlüssel nicht",
      advice:
        "Hinterlege in den Einstellungen einen anderen Schlüssel oder wähle unten ein anderes Modell und versuche es erneut.",
    },
    rate_limit: {
      title: "Das Anfragelimit des Anbieters ist erreicht",
      advice:
        "Es gab zu viele Anfragen in kurzer Zeit. Warte einen Moment oder wähle unten ein anderes Modell und versuche es erneut.",
    },
    insufficient_quota: {
      title: "Das Konto hat kein Guthaben mehr",
      advice:
        "Lade das Guthaben beim Anbieter auf oder wähle unten ein anderes Modell und versuche es erneut.",
    },
    context_length: {
      title: "Der Chat ist zu lang für dieses Modell",
      advice:
        "Beginne einen neuen Chat oder wähle unten ein Modell mit größerem Kontext und versuche es erneut.",
    },
    model_not_found: {
      title: "Der Anbieter kennt dieses Modell nicht",
      advice: "Wähle unten ein anderes Modell und versuche es erneut.",
    },
    bad_request: {
      title: "Der Anbieter hat die Anfrage abgelehnt",
      advice:
        "Den Grund nennt die Meldung oben. Ein anderes Modell nimmt die Anfrage vielleicht an.",
    },
    empty_answer: {
      title: "Das Modell hat keine Antwort geliefert",
      advice:
        "Das Modell wurde zweimal gefragt. Die Ergebnisse seiner Tools sind gespeichert. Versuche es erneut oder wähle unten ein anderes Modell.",
    },
    connection: {
      title: "Der Anbieter ist nicht erreichbar",
      advice:
        "Prüfe das Netzwerk oder ob der Server des Modells läuft. Fertige Aufrufe werden nicht wiederholt.",
    },
    timeout: {
      title: "Das Modell antwortet nicht mehr",
      advice: "Innerhalb der Frist kamen keine Daten. Fertige Aufrufe werden nicht wiederholt.",
    },
    server: {
      title: "Beim Anbieter ist ein Fehler aufgetreten",
      advice:
        "Der Fehler liegt beim Anbieter und ist meist vorübergehend. Fertige Aufrufe werden nicht wiederholt.",
    },
    interrupted,
  },
  interrupted,
  failed: {
    title: "Dieser Durchlauf ist fehlgeschlagen",
    advice: "Fertige Aufrufe werden nicht wiederholt.",
  },
  tookTooLong: {
    title: "Dieser Durchlauf dauerte zu lange",
    advice: "Er wurde am Zeitlimit gestoppt. Fertige Arbeit ist gespeichert.",
  },
  stopped: {
    title: "Du hast diesen Durchlauf gestoppt",
    advice: "Fertige Arbeit ist gespeichert.",
  },
  retry: "Erneut versuchen",
  setKey: "Schlüssel hinterlegen",
  continue: "Fortsetzen",
  retryAfter: (time) => `Der Anbieter empfiehlt, ${time} zu warten.`,
  turn: {
    sending: "Wird gesendet…",
    youSaid: "Du:",
    retry: (reason, attempt, seconds) =>
      `${reason} Versuch ${formatCount(attempt)} beginnt in ${formatCount(seconds)} s.`,
    thinking: "Das Modell denkt nach.",
    gone: "Der Server hat diesen Lauf nicht mehr. Lade die Seite neu, um den gespeicherten Teil zu sehen.",
    cutOff: "Die Antwort bricht hier ab.",
    reasoningOpen: "Denkt nach…",
    reasoning: "Überlegungen des Modells",
    restarted: "Das Modell brach hier ab und begann neu",
    limitReached: (limit, message) =>
      `${limits[limit] ?? message} Das Modell wurde gebeten, ohne weitere Tools zu antworten.`,
    tokenLimit: "Die Antwort endet am Token-Limit des Modells.",
    contentFilter: "Der Inhaltsfilter des Anbieters hat die Antwort beendet.",
    earlierCall: "früherer Aufruf",
  },
  stats: {
    aboutTime: "Die Zeit zählt ohne das Warten auf Freigaben.",
    about:
      "Die Zeit zählt ohne das Warten auf Freigaben. Ergebnisse: Tokens, die das Modell sah, und Tokens, die in Variablen zurückgehalten wurden. Modell: Tokens nach Zählung des Anbieters. Kosten: zu den Preisen der Einstellungsdatei, in deren Währung.",
    calls: (rounds, calls) =>
      `${plural(rounds, { one: "Runde", other: "Runden" })}, ${plural(calls, { one: "Aufruf", other: "Aufrufe" })}`,
    results: (shown, withheld) =>
      `Ergebnisse: ${formatCount(shown)} Tokens gezeigt, ${formatCount(withheld)} zurückgehalten`,
    model: (input, cached, output) =>
      `Modell: ${formatCount(input)} Tokens Eingabe${cached ? ` (${formatCount(cached)} aus dem Cache)` : ""}, ${formatCount(output)} Ausgabe`,
    cost: (cost) => `Kosten: ${cost}`,
  },
  toEnd: "Zum Ende springen",
  copyAnswer: "Antwort als Markdown kopieren",
  copyMessage: "Nachricht kopieren",
  repeat: "Erneut fragen",
  repeatTitle:
    "Mit dem gewählten Modell erneut fragen. Diese Antwort bleibt als andere Version erhalten",
  edit: "Nachricht ändern",
  editTitle: "Nachricht ändern und erneut senden. Diese Version bleibt erhalten",
  notLoaded: "Die Nachricht wurde nicht geladen",
  notRepeated: "Die Nachricht wurde nicht gesendet",
  editNote:
    "Der Chat geht ab der geänderten Nachricht weiter. Ihre frühere Version bleibt erhalten.",
  versions: {
    label: "Versionen dieser Nachricht",
    previous: "Vorherige Version",
    next: "Nächste Version",
    place: (number, count) => `${formatCount(number)} von ${formatCount(count)}`,
  },
  welcome: {
    title: "Was möchtest du tun?",
    about: "Capstan gibt einem Sprachmodell Tools und lässt dir die Kontrolle darüber.",
    offline:
      "Du verwendest das Offline-Modell. Es ist keine KI: Es führt nur die Tools aus, die du nennst.",
    addModel: "Modell hinzufügen",
    online: "Stell eine Aufgabe. Wenn ein Aufruf deine Freigabe braucht, wirst du vorher gefragt.",
    suggestions: "Zum Ausprobieren",
  },
  suggestions: {
    listFolder: { title: "Diesen Ordner auflisten", text: '/ListFiles {"path":"."}' },
    severalCommands: {
      title: "Mehrere Tools gleichzeitig ausführen",
      text: '/ListFiles {"path":"."}\n/DateTime {}\n/ListVars {}',
    },
    fetchCommand: {
      title: "Eine Webseite abrufen",
      text: '/FetchWebPage {"url":"https://example.org/"}',
    },
    help: { title: "Sehen, was das Offline-Modell kann", text: "/help" },
    explore: {
      title: "Diesen Ordner erkunden",
      text: "Was ist in diesem Ordner? Sieh dir die wichtigsten Dateien an und fasse sie in fünf Zeilen zusammen.",
    },
    readPage: {
      title: "Eine Webseite lesen",
      text: "Rufe https://example.org ab und sag mir in zwei Sätzen, wozu die Seite dient.",
    },
    several: {
      title: "Zwei Dinge gleichzeitig tun",
      text: "Finde hier alle Markdown-Dateien und sag mir gleichzeitig, welcher Wochentag in Tokio ist.",
    },
    tools: {
      title: "Sehen, was möglich ist",
      text: "Welche Tools hast du, und was könntest du damit für mich tun?",
    },
    plan: {
      title: "Den nächsten Schritt planen",
      text: "Stell mir drei Fragen zu meiner Arbeit und schlage dann einen nächsten Schritt vor.",
    },
    explain: {
      title: "Etwas erklären",
      text: "Wie hält ein Ankerspill die Last, wenn die Mannschaft die Spaken loslässt?",
    },
  },
};
