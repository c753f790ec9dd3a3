import type { Catalogue } from "../catalogue/catalogue.ts";

export const sharing: Catalogue["sharing"] = {
  menu: "Compartir con un enlace…",
  title: "Compartir este chat",
  close: "Cerrar",
  about:
    "Cualquiera que tenga el enlace puede leer el chat tal como está ahora, sin clave. Los mensajes que añadas después no se comparten.",
  shown:
    "El enlace muestra los mensajes y los nombres de las herramientas usadas y de los archivos adjuntos.",
  includeCalls: "Mostrar también lo que las herramientas recibieron y devolvieron",
  includeCallsNote: "Comprueba antes que ninguna llamada tenga secretos o datos privados.",
  create: "Crear un enlace",
  replace: "Sustituir el enlace",
  revoke: "Revocar el enlace",
  copy: "Copiar el enlace",
  link: "Enlace",
  onlyNow: "Cópialo ahora: no se vuelve a mostrar.",
  sharedSince: (date) => `Hay un enlace desde ${date}. Muestra el chat como era entonces.`,
  notShared: "No hay ningún enlace.",
  notCreated: "No se creó el enlace",
  notRevoked: "No se revocó el enlace",
  list: "Chats compartidos",
  listNone: "No hay ningún chat compartido.",
  listOff:
    'Los enlaces están desactivados. Un administrador los activa con "sharing": true en capstan.config.json.',
  untitled: "Chat sin título",
  since: (date) => `desde ${date}`,
  page: {
    loading: "Cargando el chat…",
    missing: "Este enlace no existe o se ha revocado.",
    failed: (reason) => `No se pudo cargar el chat: ${reason}`,
    asOf: (date) => `Compartido el ${date}. Los mensajes posteriores no se muestran.`,
    user: "Usuario",
    assistant: "Asistente",
    call: (name) => `Llamada a ${name}`,
    received: "Recibido",
    returned: "Devuelto",
    files: "Archivos adjuntos",
    made: "Hecho con Capstan",
  },
};
