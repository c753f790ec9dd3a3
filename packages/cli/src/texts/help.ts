/**
 * The layout of the help. The texts of the commands are in `command-help.ts` and `scripts-help.ts`.
 */
export const helpTexts = {
  program: (
    commands: string,
    examples: string,
  ) => `Capstan gives a language model tools, under your control.

Usage: capstan COMMAND [FLAGS]

Commands:
${commands}

Start here:
${examples}

\`capstan COMMAND --help\` describes one command; \`capstan --version\` prints the version.
Without a key of a model provider the offline model answers, so that you can try everything at once.
`,
  group: (group: {
    readonly name: string;
    readonly summary: string;
    readonly description: string;
    readonly commands: string;
    readonly examples: string;
  }) => `${group.summary}

Usage: capstan ${group.name} COMMAND [FLAGS]

${group.description}

Commands:
${group.commands}

Examples:
${group.examples}

\`capstan ${group.name} COMMAND --help\` describes one command.
`,
  command: (command: {
    readonly summary: string;
    readonly usage: string;
    readonly description: string;
    readonly flags: string;
    readonly examples: string;
  }) => `${command.summary}

Usage: capstan ${command.usage}

${command.description}

Flags:
${command.flags}

Examples:
${command.examples}
`,
  flags: "[FLAGS]",
  defaultPlaceholder: "VALUE",
  help: "Show this help",
} as const;
