import type { Command, CommandGroup, Options } from "./command.ts";

/** Help of the whole program. */
export function renderProgramHelp(commands: readonly (Command | CommandGroup)[]): string {
  return `Capstan gives a language model tools, and keeps people in charge of what they do.

Usage: capstan COMMAND [FLAGS]

Commands:
${renderSummaries(commands)}

Start here:
${renderExamples(commands.flatMap((command) => command.examples.slice(0, 1)))}

\`capstan COMMAND --help\` says more of one; \`capstan --version\` says which version this is.
Without a key of a model provider the offline model answers, so that all can be tried at once.
`;
}

/** Help of commands about one thing. */
export function renderGroupHelp(group: CommandGroup): string {
  return `${group.summary}

Usage: capstan ${group.name} COMMAND [FLAGS]

${group.description}

Commands:
${renderSummaries(group.subcommands)}

Examples:
${renderExamples(group.examples)}

\`capstan ${group.name} COMMAND --help\` says more of one.
`;
}

/** Help of one command, and of which group it is. */
export function renderCommandHelp(command: Command, group?: CommandGroup): string {
  const name = group === undefined ? command.name : `${group.name} ${command.name}`;
  const { operands = [] } = command;
  const words = typeof operands === "string" ? operands : `[${operands.join("|")}]`;
  const usage = [name, ...(operands.length === 0 ? [] : [words]), "[FLAGS]"];
  return `${command.summary}

Usage: capstan ${usage.join(" ")}

${command.description}

Flags:
${renderOptions(command.options)}

Examples:
${renderExamples(command.examples)}
`;
}

function renderSummaries(commands: readonly Pick<Command, "name" | "summary">[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return commands
    .map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
    .join("\n");
}

function renderOptions(options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => ({
    flag: option.type === "boolean" ? `--${name}` : `--${name} ${option.placeholder ?? "VALUE"}`,
    says: option.environment ? `${option.description} [${option.environment}]` : option.description,
  }));
  const width = Math.max(...rows.map((row) => row.flag.length));
  return rows.map((row) => `  ${row.flag.padEnd(width)}  ${row.says}`).join("\n");
}

function renderExamples(examples: Command["examples"]): string {
  const width = Math.max(...examples.map((example) => example.line.length));
  return examples.map((example) => `  ${example.line.padEnd(width)}  # ${example.says}`).join("\n");
}
