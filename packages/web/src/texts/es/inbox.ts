import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount, plural } from "../numbers/count.ts";

export const inbox: Catalogue["inbox"] = {
  title: "Necesita tu atención",
  open: (count) =>
    plural(count, {
      one: "solicitud necesita tu atención",
      other: "solicitudes necesitan tu atención",
    }),
  empty: "No hay solicitudes pendientes.",
  about: "Llamadas que necesitan tu aprobación, en todos los chats.",
  ofChat: (title) => `En «${title}»`,
  openChat: "Abrir el chat",
  notOpened: "No se pudo abrir la solicitud",
  ofProgram: "De un programa",
  unknown: (title) => `Una llamada en «${title}» puede haber tenido efecto.`,
  unknownAnswer: "Indicar qué pasó",
  together: {
    allow: (count) => `Permitir las ${formatCount(count)} una vez`,
    about: (tools) => `Solo permite llamadas de solo lectura que se muestran completas: ${tools}.`,
    failed: "No se pudieron permitir todas las llamadas",
  },
  answered: (tool, answer, time) => `${tool}: ${answer} a las ${time}, en otra ventana o programa.`,
  ended: (tool, reason, time) => `${tool}: ${reason} a las ${time}.`,
  answers: {
    pending: "pendiente",
    allowed: "la permitiste",
    refused: "la rechazaste",
    released: "entregaste el resultado",
    redacted: "entregaste el resultado con palabras ocultas",
    replaced: "sustituiste el resultado",
    withheld: "retuviste el resultado",
    expired: "caducó",
    cancelled: "su turno terminó",
  },
  notifications: {
    offer: "Avisarme mientras esta página está oculta",
    on: "Este navegador te avisa de nuevas solicitudes mientras esta página está oculta.",
    off: "Desactivar",
    denied:
      "Este navegador bloquea las notificaciones de esta página. Permítelas en los ajustes del navegador.",
    title: (tool) => `${tool} necesita tu aprobación`,
    body: (chat) => `En «${chat}»`,
  },
};
