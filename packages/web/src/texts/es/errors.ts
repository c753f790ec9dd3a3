import type { Catalogue } from "../catalogue/catalogue.ts";

export const errors: Catalogue["errors"] = {
  unreachable: () => "No se puede conectar con el servidor. Comprueba que esté en marcha.",
  server_full: () => "El servidor está ocupado. No se hizo nada. Reinténtalo en unos segundos.",
  too_many_streams: () =>
    "Hay demasiadas conexiones abiertas con el servidor. No se hizo nada. Cierra otras pestañas y reinténtalo.",
  invalid_api_key: () =>
    "Este servidor necesita una clave de API válida. También puedes vincular este navegador: capstan pair muestra un enlace.",
  pairing_code_invalid: () =>
    "Este enlace ya se usó o tiene más de 10 minutos. capstan pair muestra uno nuevo.",
  right_missing: () => "No tienes permiso para hacer esto.",
  rate_limit_exceeded: () =>
    "Se alcanzó el límite de solicitudes. Espera un momento y reinténtalo.",
  insufficient_quota: () => "La cuenta del proveedor no tiene saldo.",
  file_too_large: () => "El archivo supera el límite del servidor (limits.fileBytes).",
  file_quota_exceeded: () =>
    "El espacio para archivos está lleno. No se guardó nada. Elimina archivos que no necesites.",
  conversation_not_found: () => "Este chat no existe. Puede que se haya eliminado.",
  conversation_too_long: () => "El chat es demasiado largo para esto.",
  history_too_large: () =>
    "El historial del chat supera el límite del servidor (limits.bytesOfOne). Empieza un chat nuevo.",
};
