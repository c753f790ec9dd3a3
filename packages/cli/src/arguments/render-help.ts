import { helpTexts } from "../texts/help.ts";
import type { Command, CommandGroup, Options } from "./command.ts";

/** Returns the help of the whole program. */
export function renderProgramHelp(commands: readonly (Command | CommandGroup)[]): string {
  return helpTexts.program(
    renderSummaries(commands),
    renderExamples(commands.flatMap((command) => command.examples.slice(0, 1))),
  );
}

/** Returns the help of a group of commands. */
export function renderGroupHelp(group: CommandGroup): string {
  return helpTexts.group({
    ...group,
    commands: renderSummaries(group.subcommands),
    examples: renderExamples(group.examples),
  });
}

/** Returns the help of one command. `group` is the group that it belongs to. */
export function renderCommandHelp(command: Command, group?: CommandGroup): string {
  const name = group === undefined ? command.name : `${group.name} ${command.name}`;
  const { operands = [] } = command;
  const words = typeof operands === "string" ? operands : `[${operands.join("|")}]`;
  const usage = [name, ...(operands.length === 0 ? [] : [words]), helpTexts.flags];
  return helpTexts.command({
    summary: command.summary,
    usage: usage.join(" "),
    description: command.description,
    flags: renderOptions(command.options),
    examples: renderExamples(command.examples),
  });
}

function renderSummaries(commands: readonly Pick<Command, "name" | "summary">[]): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return commands
    .map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`)
    .join("\n");
}

function renderOptions(options: Options): string {
  const rows = Object.entries(options).map(([name, option]) => ({
    flag:
      option.type === "boolean"
        ? `--${name}`
        : `--${name} ${option.placeholder ?? helpTexts.defaultPlaceholder}`,
    description: option.environment
      ? `${option.description} [${option.environment}]`
      : option.description,
  }));
  const width = Math.max(...rows.map((row) => row.flag.length));
  return rows.map((row) => `  ${row.flag.padEnd(width)}  ${row.description}`).join("\n");
}

function renderExamples(examples: Command["examples"]): string {
  const width = Math.max(...examples.map((example) => example.line.length));
  return examples
    .map((example) => `  ${example.line.padEnd(width)}  # ${example.comment}`)
    .join("\n");
}
