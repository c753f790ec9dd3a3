/** Texts of the tools panel, the model selection, the theme, the key dialog and the notices. */
export const settingsTexts = {
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
  model: "Model",
  defaultModel: (reason: string | undefined) =>
    reason === undefined ? " (default)" : ` (default: ${reason})`,
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
  theme: (theme: "dark" | "light") => `Switch to the ${theme} theme`,
  tools: {
    about:
      "Tools that the model can call in this chat. A tool is available if it and its group are on.",
    aboutNew:
      "Tools that the model can call in the next chat. A tool is available if it and its group are on.",
    empty: "This server has no tools.",
    alwaysOffered: (execution: string) => `${execution}, always available`,
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
