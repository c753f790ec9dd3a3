import type { Catalogue } from "../catalogue/catalogue.ts";
import { formatCount, plural } from "../numbers/count.ts";

const interrupted = {
  title: "El servidor se detuvo en mitad de este turno",
  advice: "El trabajo terminado está guardado. Las llamadas en curso pueden haber tenido efecto.",
};

const limits: { readonly [limit: string]: string } = {
  rounds: "Este turno ha alcanzado su límite de rondas.",
  calls: "Este turno ha alcanzado su límite de llamadas.",
  tokens: "Este turno ha alcanzado su límite de tokens.",
  time: "Este turno ha alcanzado su límite de tiempo.",
  cost: "Este turno ha agotado su presupuesto.",
  repeats: "La misma llamada ha fallado varias veces.",
};

export const chat: Catalogue["chat"] = {
  label: "Chat",
  messages: "Mensajes",
  opening: "Abriendo la conversación…",
  missing: "Esta conversación no existe. Puede que se haya eliminado.",
  startNew: "Empezar un chat nuevo",
  tryAgain: "Reintentar",
  announce: {
    answer: (text) => `Respuesta: ${text}`,
    approval: (tool) => `${tool} necesita tu aprobación.`,
    review: (tool) => `El resultado de ${tool} necesita tu aprobación.`,
  },
  composer: {
    label: "Mensaje nuevo",
    message: "Mensaje",
    placeholder: "Pide algo",
    offlinePlaceholder: "/help, o un /Tool {…} por línea",
    toolGroups: "Grupos de herramientas activos",
    groups: (count) => plural(count, { one: "grupo", other: "grupos" }),
    send: "Enviar",
    sendTitle: "Enviar (Intro)",
    stop: "Detener",
    stopTitle: "Detener (Esc)",
    sendHint: "envía,",
    newLineHint: "añade una línea",
    stopHint: "detiene el turno",
    queueHint: "envía después de este turno,",
  },
  attachments: {
    attach: "Adjuntar archivos",
    attachTitle: "Adjuntar archivos. También puedes pegarlos o soltarlos en el chat",
    list: "Archivos de este mensaje",
    uploading: "Subiendo…",
    drop: "Suelta los archivos para adjuntarlos",
    pastedName: "texto pegado.txt",
    retry: (name) => `Volver a subir ${name}`,
    remove: (name) => `Quitar ${name}`,
    tooMany: (most, leftOut) =>
      `Un mensaje tiene como máximo ${formatCount(most)} archivos. ${plural(leftOut, { one: "archivo no se adjuntó", other: "archivos no se adjuntaron" })}.`,
  },
  queue: {
    label: "Mensajes en cola",
    add: "Enviar después de este turno",
    about: "Se enviará después de este turno:",
    held: "No se envió porque el turno no terminó:",
    edit: "Cambiar el mensaje",
    remove: "Quitar el mensaje",
  },
  stale:
    "Este chat tiene mensajes nuevos de otra ventana o programa, que ahora se muestran arriba. Tu mensaje no se envió: revísalo y vuelve a enviarlo.",
  failures: {
    authentication: {
      title: "El proveedor no acepta la clave",
      advice: "Pon otra clave en los ajustes o elige otro modelo abajo, y vuelve a intentarlo.",
    },
    rate_limit: {
      title: "Se alcanzó el límite de solicitudes del proveedor",
      advice:
        "Hubo demasiadas solicitudes en poco tiempo. Espera un momento o elige otro modelo abajo, y vuelve a intentarlo.",
    },
    insufficient_quota: {
      title: "La cuenta no tiene saldo",
      advice: "Añade saldo en el proveedor o elige otro modelo abajo, y vuelve a intentarlo.",
    },
    context_length: {
      title: "La conversación es demasiado larga para este modelo",
      advice:
        "Empieza un chat nuevo o elige abajo un modelo con más contexto, y vuelve a intentarlo.",
    },
    model_not_found: {
      title: "El proveedor no conoce este modelo",
      advice: "Elige otro modelo abajo y vuelve a intentarlo.",
    },
    bad_request: {
      title: "El proveedor rechazó la solicitud",
      advice: "El mensaje de arriba indica el motivo. Otro modelo puede aceptar la solicitud.",
    },
    empty_answer: {
      title: "El modelo no devolvió ninguna respuesta",
      advice:
        "Se preguntó dos veces al modelo. Los resultados de sus herramientas están guardados. Vuelve a intentarlo o elige otro modelo abajo.",
    },
    connection: {
      title: "No se pudo conectar con el proveedor",
      advice:
        "Comprueba la red o que el servidor del modelo esté en marcha. Las llamadas terminadas no se repiten.",
    },
    timeout: {
      title: "El modelo dejó de responder",
      advice:
        "No llegaron datos dentro del límite de tiempo. Las llamadas terminadas no se repiten.",
    },
    server: {
      title: "Error del proveedor",
      advice:
        "El error es del proveedor y suele ser temporal. Las llamadas terminadas no se repiten.",
    },
    interrupted,
  },
  interrupted,
  failed: { title: "Este turno falló", advice: "Las llamadas terminadas no se repiten." },
  tookTooLong: {
    title: "Este turno tardó demasiado",
    advice: "Se detuvo al llegar a su límite de tiempo. El trabajo terminado está guardado.",
  },
  stopped: { title: "Detuviste este turno", advice: "El trabajo terminado está guardado." },
  retry: "Reintentar",
  setKey: "Poner una clave",
  continue: "Continuar",
  retryAfter: (time) => `El proveedor sugiere esperar ${time}.`,
  turn: {
    sending: "Enviando…",
    youSaid: "Dijiste:",
    retry: (reason, attempt, seconds) =>
      `${reason} El intento ${formatCount(attempt)} empieza en ${formatCount(seconds)} s.`,
    thinking: "El modelo está pensando.",
    gone: "El servidor ya no tiene esta ejecución. Recarga la página para ver la parte guardada.",
    cutOff: "La respuesta se cortó aquí.",
    reasoningOpen: "Pensando…",
    reasoning: "El razonamiento del modelo",
    restarted: "El modelo se cortó aquí y empezó de nuevo",
    limitReached: (limit, message) =>
      `${limits[limit] ?? message} Se pidió al modelo que respondiera sin más herramientas.`,
    tokenLimit: "La respuesta terminó en el límite de tokens del modelo.",
    contentFilter: "El filtro de contenido del proveedor terminó la respuesta.",
    earlierCall: "llamada anterior",
  },
  stats: {
    aboutTime: "El tiempo no incluye la espera de aprobaciones.",
    about:
      "El tiempo no incluye la espera de aprobaciones. Resultados: tokens mostrados al modelo y tokens retenidos en variables. Modelo: tokens según el proveedor. Coste: según los precios del archivo de configuración, en su moneda.",
    calls: (rounds, calls) =>
      `${plural(rounds, { one: "ronda", other: "rondas" })}, ${plural(calls, { one: "llamada", other: "llamadas" })}`,
    results: (shown, withheld) =>
      `resultados: ${formatCount(shown)} tokens mostrados, ${formatCount(withheld)} retenidos`,
    model: (input, cached, output) =>
      `modelo: ${formatCount(input)} tokens de entrada${cached ? ` (${formatCount(cached)} en caché)` : ""}, ${formatCount(output)} de salida`,
    cost: (cost) => `coste: ${cost}`,
  },
  toEnd: "Ir al final",
  copyAnswer: "Copiar la respuesta como Markdown",
  copyMessage: "Copiar el mensaje",
  repeat: "Preguntar de nuevo",
  repeatTitle:
    "Preguntar de nuevo con el modelo elegido. Esta respuesta se conserva como otra versión",
  edit: "Cambiar el mensaje",
  editTitle: "Cambiar el mensaje y enviarlo de nuevo. Esta versión se conserva",
  notLoaded: "No se cargó el mensaje",
  notRepeated: "No se envió el mensaje",
  editNote: "El chat continúa desde el mensaje cambiado. Su versión anterior se conserva.",
  versions: {
    label: "Versiones de este mensaje",
    previous: "Versión anterior",
    next: "Versión siguiente",
    place: (number, count) => `${formatCount(number)} de ${formatCount(count)}`,
  },
  welcome: {
    title: "¿Qué quieres hacer?",
    about: "Capstan da herramientas a un modelo de lenguaje y te deja el control sobre ellas.",
    offline:
      "Estás usando el modelo sin conexión. No es una IA: solo ejecuta las herramientas que indicas.",
    addModel: "Añadir un modelo",
    online: "Pide algo. Si una llamada necesita tu aprobación, se te pregunta antes.",
    suggestions: "Ideas para probar",
  },
  suggestions: {
    listFolder: { title: "Listar esta carpeta", text: '/ListFiles {"path":"."}' },
    severalCommands: {
      title: "Ejecutar varias herramientas en paralelo",
      text: '/ListFiles {"path":"."}\n/DateTime {}\n/ListVars {}',
    },
    fetchCommand: {
      title: "Obtener una página web",
      text: '/FetchWebPage {"url":"https://example.org/"}',
    },
    help: { title: "Ver qué puede hacer el modelo sin conexión", text: "/help" },
    explore: {
      title: "Explorar esta carpeta",
      text: "¿Qué hay en esta carpeta? Mira los archivos más importantes y resúmelos en cinco líneas.",
    },
    readPage: {
      title: "Leer una página web",
      text: "Obtén https://example.org y dime en dos frases para qué sirve.",
    },
    several: {
      title: "Hacer dos cosas en paralelo",
      text: "Busca aquí todos los archivos Markdown y, al mismo tiempo, dime qué día de la semana es en Tokio.",
    },
    tools: {
      title: "Ver qué puede hacer",
      text: "¿Qué herramientas tienes y qué podrías hacer por mí con ellas?",
    },
    plan: {
      title: "Planificar el siguiente paso",
      text: "Hazme tres preguntas sobre lo que estoy haciendo y propón después el siguiente paso.",
    },
    explain: {
      title: "Explicar algo",
      text: "¿Cómo sostiene un cabrestante la carga cuando la tripulación suelta las barras?",
    },
  },
};
