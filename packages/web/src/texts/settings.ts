/** Texts of the tools panel, the model selection, the theme, the key dialog and the notices. */
export const settingsTexts = {
  key: {
    title: "This server needs an API key",
    rejected: "The key was not accepted.",
    ask: { before: "Ask the server's administrator for one of its", after: "." },
    storage: "The key is stored in this tab only.",
    pair: {
      before: "To pair this browser instead, run",
      after: "on the server's machine and open the link here.",
    },
    field: "API key",
    submit: "Use this key",
  },
  model: "Model",
  defaultModel: (reason: string | undefined) =>
    reason === undefined ? " (default)" : ` (default: ${reason})`,
  configuration: {
    before:
      "The settings file allows more than the accepted version, so it does not apply. To review and accept it, run",
    after: "on the server's machine and restart the server.",
  },
  pairing: {
    before: "This browser can send messages, but it cannot approve calls. To pair it, run",
    after: "on the server's machine and open the link here.",
    anyone: "Anyone who may use this server can approve calls.",
    paired:
      "Calls are approved in paired browsers and terminals, and with keys that have the right to approve.",
  },
  theme: (theme: "dark" | "light") => `Switch to the ${theme} theme`,
  tools: {
    about:
      "Tools that the model may call in this chat. A tool is available if it and its group are on.",
    aboutNew:
      "Tools that the model may call in the next chat. A tool is available if it and its group are on.",
    empty: "This server has no tools.",
    alwaysOffered: (execution: string) => `${execution}, always available`,
    executions: {
      auto: "runs at once",
      "ask-once": "needs approval once",
      "ask-always": "needs approval each time",
      deny: "never runs",
      depends: "may need approval",
    },
  },
} as const;
