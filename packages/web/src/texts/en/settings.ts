import { plural } from "../numbers/count.ts";

/** Texts of the tools panel, the model selection, the theme, the key dialog and the notices. */
export const settings = {
  key: {
    title: "This server needs an API key",
    rejected: "The key was not accepted.",
    ask: { before: "Ask the server's administrator for one of its", after: "." },
    storage: "The key is stored in this tab only.",
    pair: {
      before: "To pair this browser instead, run",
      after: "on the server's machine, then open the link in this browser.",
    },
    field: "API key",
    submit: "Use this key",
  },
  configuration: {
    before:
      "The settings file allows more than its last accepted version, so it does not apply yet. To review and accept it, run",
    after: "on the server's machine, then restart the server.",
  },
  pairing: {
    before: "This browser can send messages, but it cannot approve calls. To pair it, run",
    after: "on the server's machine, then open the link in this browser.",
    anyone: "Anyone who can use this server can approve calls.",
    paired:
      "Calls can be approved in paired browsers and terminals, or with an API key that has the right to approve.",
  },
  dialog: {
    open: "Settings",
    title: "Settings",
    close: "Close the settings",
    sections: "Sections of the settings",
    loading: "Loading the settings…",
    names: {
      general: "General",
      models: "Models and keys",
      agents: "Agents",
      tools: "Tools",
      usage: "Usage",
      data: "Data",
    },
  },
  general: {
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language",
    systemLanguage: "Browser's language",
    languageNotLoaded: "The language was not changed",
    mode: "Details",
    modes: { plain: "Plain", expert: "Expert" },
    aboutMode: "Expert mode also shows token counts, arguments as JSON, and the data of events.",
    instructions: "Instructions for all chats",
    aboutInstructions:
      "The model reads them with each message. An agent's own instructions come first.",
    save: "Save",
    notifications: "Notifications",
    noNotifications:
      "This browser shows no notifications of this page. They need HTTPS, or an address on the same machine.",
  },
  notSaved: "The setting was not saved",
  picker: {
    title: "Choose a model",
    button: (title: string) => `Model: ${title}`,
    search: "Search models and agents",
    default: "default",
    agent: "agent",
    favorite: (title: string) => `Favorite: ${title}`,
    nothing: "No model or agent matches your search.",
  },
  agents: {
    about: "An agent is a model with instructions and tools. Choose it like a model in a chat.",
    add: "New agent",
    newTitle: "New agent",
    empty: "You have no agents yet.",
    configured: "From the settings file",
    edit: (title: string) => `Change ${title}`,
    remove: (title: string) => `Delete ${title}`,
    notDeleted: "The agent was not deleted",
    overridden: "Not used: an agent of the settings file has the same name.",
    title: "Name",
    model: "Model",
    defaultModel: "Default model of the server",
    instructions: "Instructions",
    temperature: "Temperature, from 0 to 2 (empty: the provider's default)",
    tools: "Tools",
    allGroups: "The tools that are on in the chat",
    groupsOfChat: "tools of the chat",
    groups: (count: number) => plural(count, { one: "tool group", other: "tool groups" }),
  },
  toolDefaults: {
    about:
      "The tool groups that are on in new chats. You can change them for each chat in its Tools panel.",
  },
  models: {
    about:
      "Add a key to use the models of a provider. All users of this server can then use these models.",
    current: "New messages go to",
    closed: {
      before: "Only administrators can set keys. To use this browser as an administrator, run",
      after: "on the server's machine, then open the link in this browser.",
    },
    sources: {
      stored: "Key stored",
      environment: "From the environment",
      none: "Not set",
      unreadable: "Unreadable",
    },
    storedWithoutKey: "Stored",
    stored: "Its key was set here.",
    environment: (variable: string, place: string) =>
      place === ""
        ? `${variable} is set in the server's environment.`
        : `${variable} is set in the server's environment: ${place}`,
    none: "No key is set.",
    aboutCustom: "For example LM Studio, vLLM, llama.cpp or a gateway.",
    unreadable: "The server's secret key has changed. Enter the key again.",
    add: "Add",
    replace: "Replace",
    remove: "Remove",
    key: (title: string) => `API key of ${title}`,
    optionalKey: "API key, if the server needs one",
    url: "Base URL",
    defaultModel: "Default model, if it is not the first one that the server lists",
    storage:
      "The key is tried first, then stored encrypted. It cannot be read again, only replaced.",
    trying: "Trying the key…",
    save: "Try and save",
  },
  data: {
    retention: "Stored chats",
    kept: (days: number | null, megabytes: number | null) => {
      const rules = [
        ...(days === null
          ? []
          : [
              `Chats are deleted after ${plural(days, { one: "day", other: "days" })} without a change.`,
            ]),
        ...(megabytes === null
          ? []
          : [`The oldest chats are deleted if all chats need more than ${megabytes} MB.`]),
      ];
      return rules.length === 0
        ? "Chats are stored on the server until you delete them."
        : rules.join(" ");
    },
  },
  usage: {
    about: "Answers that have ended. Deleted chats are not counted.",
    period: "Period",
    days: (days: number) => `Last ${days} days`,
    loading: "Loading…",
    empty: "No model was used in this period.",
    cost: "Cost",
    input: "Tokens in",
    output: "Tokens out",
    answers: "Answers",
    model: "Model",
    byModel: "Usage by model",
    perDay: "tokens per day",
    chart: (days: number) => `Tokens on each of the last ${days} days`,
    day: (day: string, tokens: string, cost: string) => `${day}: ${tokens} tokens, cost ${cost}`,
    cached: (count: string) => `${count} of them cached by the provider`,
    unknown: "–",
    atLeast: (cost: string) => `≥ ${cost}`,
    inExpertMode: "Expert mode also shows the tokens. Choose it under General.",
    unpriced:
      "Some models have no prices, so their cost is not included. An administrator can set prices in the settings file.",
  },
  switchTheme: { dark: "Switch to the dark theme", light: "Switch to the light theme" },
  tools: {
    about:
      "Tools that the model can call in this chat. A tool is available if it and its group are on.",
    aboutNew:
      "Tools that the model can call in the next chat. A tool is available if it and its group are on.",
    empty: "This server has no tools.",
    alwaysOffered: (execution: string) => `${execution}, always available`,
    found: (execution: string) => `${execution}, found in this chat`,
    needs: (what: string) => `needs ${what}`,
    executions: {
      auto: "runs without approval",
      "ask-once": "needs approval once",
      "ask-always": "needs approval each time",
      deny: "never runs",
      depends: "may need approval",
    },
  },
} as const;
