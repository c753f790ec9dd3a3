import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount, plural } from "../numbers/count.ts";

const openLink = "en el equipo del servidor y abre el enlace en este navegador.";

export const settings: Catalogue["settings"] = {
  key: {
    title: "Este servidor necesita una clave de API",
    rejected: "La clave no se aceptó.",
    ask: { before: "Pide al administrador del servidor una de sus", after: "." },
    storage: "La clave se guarda solo en esta pestaña.",
    pair: { before: "Para vincular este navegador en su lugar, ejecuta", after: openLink },
    field: "Clave de API",
    submit: "Usar esta clave",
  },
  configuration: {
    before:
      "El archivo de configuración permite más que su última versión aceptada, así que aún no se aplica. Para revisarlo y aceptarlo, ejecuta",
    after: "en el equipo del servidor y reinicia el servidor.",
  },
  pairing: {
    before:
      "Este navegador puede enviar mensajes, pero no aprobar llamadas. Para vincularlo, ejecuta",
    after: openLink,
    anyone: "Cualquiera que pueda usar este servidor puede aprobar llamadas.",
    paired:
      "Las llamadas se aprueban en navegadores y terminales vinculados, o con una clave de API que tenga permiso para aprobar.",
  },
  dialog: {
    open: "Ajustes",
    title: "Ajustes",
    close: "Cerrar los ajustes",
    sections: "Secciones de los ajustes",
    loading: "Cargando los ajustes…",
    names: {
      general: "General",
      models: "Modelos y claves",
      agents: "Agentes",
      tools: "Herramientas",
      usage: "Uso",
      data: "Datos",
    },
  },
  general: {
    theme: "Tema",
    themes: { system: "Sistema", light: "Claro", dark: "Oscuro" },
    language: "Idioma",
    systemLanguage: "Idioma del navegador",
    languageNotLoaded: "No se cambió el idioma",
    mode: "Detalles",
    modes: { plain: "Sencillo", expert: "Experto" },
    aboutMode:
      "El modo experto también muestra los tokens, los argumentos como JSON y los datos de los eventos.",
    instructions: "Instrucciones para todos los chats",
    aboutInstructions:
      "El modelo las lee con cada mensaje. Las instrucciones de un agente van primero.",
    save: "Guardar",
    notifications: "Notificaciones",
    noNotifications:
      "Este navegador no muestra notificaciones de esta página. Necesitan HTTPS o una dirección del mismo equipo.",
  },
  notSaved: "No se guardó el ajuste",
  picker: {
    title: "Elegir un modelo",
    button: (title) => `Modelo: ${title}`,
    search: "Buscar modelos y agentes",
    default: "predeterminado",
    agent: "agente",
    favorite: (title) => `Favorito: ${title}`,
    nothing: "Ningún modelo ni agente coincide con la búsqueda.",
  },
  agents: {
    about:
      "Un agente es un modelo con instrucciones y herramientas. Elígelo como un modelo en un chat.",
    add: "Agente nuevo",
    newTitle: "Agente nuevo",
    empty: "Aún no tienes agentes.",
    configured: "Del archivo de configuración",
    edit: (title) => `Cambiar ${title}`,
    remove: (title) => `Eliminar ${title}`,
    notDeleted: "No se eliminó el agente",
    overridden: "No se usa: un agente del archivo de configuración tiene el mismo nombre.",
    title: "Nombre",
    model: "Modelo",
    defaultModel: "Modelo predeterminado del servidor",
    instructions: "Instrucciones",
    temperature: "Temperatura, de 0 a 2 (vacía: el valor del proveedor)",
    tools: "Herramientas",
    allGroups: "Las herramientas activas en el chat",
    groupsOfChat: "herramientas del chat",
    groups: (count) =>
      plural(count, { one: "grupo de herramientas", other: "grupos de herramientas" }),
  },
  toolDefaults: {
    about:
      "Los grupos de herramientas activos en los chats nuevos. Puedes cambiarlos en cada chat, en su panel Herramientas.",
  },
  models: {
    about:
      "Añade una clave para usar los modelos de un proveedor. Todos los usuarios de este servidor podrán usarlos.",
    current: "Los mensajes nuevos van a",
    closed: {
      before:
        "Solo los administradores pueden definir claves. Para usar este navegador como administrador, ejecuta",
      after: openLink,
    },
    sources: {
      stored: "Clave guardada",
      environment: "Del entorno",
      none: "Sin definir",
      unreadable: "Ilegible",
    },
    storedWithoutKey: "Guardado",
    stored: "Su clave se definió aquí.",
    environment: (variable, place) =>
      place === ""
        ? `${variable} está definida en el entorno del servidor.`
        : `${variable} está definida en el entorno del servidor: ${place}`,
    none: "No hay ninguna clave definida.",
    aboutCustom: "Por ejemplo LM Studio, vLLM, llama.cpp o una pasarela.",
    unreadable: "La clave secreta del servidor ha cambiado. Introduce la clave de nuevo.",
    add: "Añadir",
    replace: "Sustituir",
    remove: "Quitar",
    key: (title) => `Clave de API de ${title}`,
    optionalKey: "Clave de API, si el servidor necesita una",
    url: "URL base",
    defaultModel: "Modelo predeterminado, si no es el primero que lista el servidor",
    storage: "La clave se prueba y después se guarda cifrada. No se puede leer, solo sustituir.",
    trying: "Probando la clave…",
    save: "Probar y guardar",
  },
  data: {
    retention: "Chats guardados",
    kept: (days, megabytes) => {
      const rules = [
        ...(days === null
          ? []
          : [
              `Los chats se eliminan tras ${plural(days, { one: "día", other: "días" })} sin cambios.`,
            ]),
        ...(megabytes === null
          ? []
          : [
              `Los chats más antiguos se eliminan si todos juntos ocupan más de ${formatCount(megabytes)} MB.`,
            ]),
      ];
      return rules.length === 0
        ? "Los chats se guardan en el servidor hasta que los elimines."
        : rules.join(" ");
    },
  },
  usage: {
    about: "Respuestas terminadas. Los chats eliminados no se cuentan.",
    period: "Periodo",
    days: (days) => `Últimos ${formatCount(days)} días`,
    loading: "Cargando…",
    empty: "En este periodo no se usó ningún modelo.",
    cost: "Coste",
    input: "Tokens de entrada",
    output: "Tokens de salida",
    answers: "Respuestas",
    model: "Modelo",
    byModel: "Uso por modelo",
    perDay: "tokens por día",
    chart: (days) => `Tokens de cada uno de los últimos ${formatCount(days)} días`,
    day: (day, tokens, cost) => `${day}: ${tokens} tokens, coste ${cost}`,
    cached: (count) => `${count} de ellos en la caché del proveedor`,
    unknown: "–",
    atLeast: (cost) => `≥ ${cost}`,
    inExpertMode: "El modo experto también muestra los tokens. Elígelo en General.",
    unpriced:
      "Algunos modelos no tienen precio, así que su coste no se incluye. Un administrador puede definir precios en el archivo de configuración.",
  },
  switchTheme: { dark: "Cambiar al tema oscuro", light: "Cambiar al tema claro" },
  tools: {
    about:
      "Herramientas que el modelo puede usar en este chat. Una herramienta está disponible si ella y su grupo están activos.",
    aboutNew:
      "Herramientas que el modelo puede usar en el próximo chat. Una herramienta está disponible si ella y su grupo están activos.",
    empty: "Este servidor no tiene herramientas.",
    alwaysOffered: (execution) => `${execution}, siempre disponible`,
    found: (execution) => `${execution}, encontrada en este chat`,
    needs: (what) => `necesita ${what}`,
    executions: {
      auto: "se ejecuta sin aprobación",
      "ask-once": "necesita aprobación una vez",
      "ask-always": "necesita aprobación cada vez",
      deny: "nunca se ejecuta",
      depends: "puede necesitar aprobación",
    },
  },
};
