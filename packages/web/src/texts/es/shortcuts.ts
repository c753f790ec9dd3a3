import type { Catalogue } from "../catalogue/catalogue.ts";

export const shortcuts: Catalogue["shortcuts"] = {
  title: "Atajos de teclado",
  close: "Cerrar la lista de atajos",
  open: "Mostrar los atajos de teclado",
  list: [
    { keys: ["Enter"], does: "Enviar el mensaje" },
    { keys: ["Shift", "Enter"], does: "Añadir una línea al mensaje" },
    { keys: ["Ctrl", "K"], does: "Buscar chats" },
    { keys: ["Esc"], does: "Cerrar el panel o detener el turno" },
    { keys: ["Alt", "A"], does: "Permitir la llamada que necesita aprobación" },
    { keys: ["Alt", "S"], does: "Permitir más llamadas como esta" },
    { keys: ["Alt", "R"], does: "Rechazar la llamada: la primera pulsación selecciona el motivo" },
    { keys: ["Alt", "E"], does: "Editar los argumentos de la llamada" },
    { keys: ["Alt", "V"], does: "Mostrar la llamada completa" },
    { keys: ["?"], does: "Mostrar esta lista" },
  ],
};
