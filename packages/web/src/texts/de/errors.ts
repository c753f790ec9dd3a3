import type { Catalogue } from "../catalogue/catalogue.ts";

export const errors: Catalogue["errors"] = {
  unreachable: () => "Der Server ist nicht erreichbar. Prüfe, ob er läuft.",
  server_full: () =>
    "Der Server ist ausgelastet. Nichts wurde ausgeführt. Versuche es in einigen Sekunden erneut.",
  too_many_streams: () =>
    "Zu viele offene Verbindungen zum Server. Nichts wurde ausgeführt. Schließe andere Tabs und versuche es erneut.",
  invalid_api_key: () =>
    "Dieser Server braucht einen gültigen API-Schlüssel. Du kannst diesen Browser auch koppeln: capstan pair zeigt einen Link.",
  pairing_code_invalid: () =>
    "Dieser Link wurde schon benutzt oder ist älter als 10 Minuten. capstan pair zeigt einen neuen.",
  right_missing: () => "Dazu fehlt dir die Berechtigung.",
  rate_limit_exceeded: () =>
    "Das Anfragelimit ist erreicht. Warte einen Moment und versuche es erneut.",
  insufficient_quota: () => "Das Konto beim Anbieter hat kein Guthaben mehr.",
  file_too_large: () => "Die Datei ist größer, als der Server erlaubt (limits.fileBytes).",
  file_quota_exceeded: () =>
    "Der Speicher für Dateien ist voll. Nichts wurde gespeichert. Lösche nicht mehr benötigte Dateien.",
  conversation_not_found: () => "Diesen Chat gibt es nicht. Vielleicht wurde er gelöscht.",
  conversation_too_long: () => "Der Chat ist dafür zu lang.",
  history_too_large: () =>
    "Der Verlauf des Chats überschreitet das Limit des Servers (limits.bytesOfOne). Beginne einen neuen Chat.",
};
