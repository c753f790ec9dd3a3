import { commands } from "./commands/commands.ts";
import { packageVersion } from "./install/package-version.ts";
import {
  type Command,
  CommandFailure,
  type CommandGroup,
  type Options,
} from "./arguments/command.ts";
import { didYouMean, parseOptions } from "./arguments/parse-options.ts";
import { renderCommandHelp, renderGroupHelp, renderProgramHelp } from "./arguments/render-help.ts";

const help: Options = { help: { type: "boolean", description: "Say what this command does" } };

/** The output of the command line itself; a command writes to the process's own streams. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs the command that the arguments name.
 *
 * @param output @default process
 * @returns the exit code: 0, 1 if the command failed, 2 if the arguments are invalid
 */
export async function runCommandLine(
  args: readonly string[],
  output: Output = process,
): Promise<number> {
  const print = (text: string) => {
    output.stdout.write(text);
    return 0;
  };
  const refuse = (message: string, more: string) => {
    output.stderr.write(`${message} \`${more}\` shows what there is.\n`);
    return 2;
  };
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h")
    return print(renderProgramHelp(commands));
  if (name === "--version" || name === "-v") return print(`${packageVersion()}\n`);
  if (name === "help") {
    const asked = find(commands, rest[0] ?? "");
    if (asked === undefined) return print(renderProgramHelp(commands));
    if (!("subcommands" in asked)) return print(renderCommandHelp(asked));
    const below = find(asked.subcommands, rest[1] ?? "");
    return print(below ? renderCommandHelp(below, asked) : renderGroupHelp(asked));
  }
  const found = find(commands, name);
  if (!found) return refuse(unknown(name, commands), "capstan --help");
  if (!("subcommands" in found)) return runCommand(found, rest);
  const [below, ...ofBelow] = rest;
  if (below === undefined || below === "--help") return print(renderGroupHelp(found));
  const command = find(found.subcommands, below);
  if (!command) return refuse(unknown(below, found.subcommands), `capstan ${found.name} --help`);
  return runCommand(command, ofBelow, found);

  async function runCommand(
    command: Command,
    given: readonly string[],
    group?: CommandGroup,
  ): Promise<number> {
    const name = group === undefined ? command.name : `${group.name} ${command.name}`;
    const options = { ...command.options, ...help };
    const parsed = parseOptions(given, options);
    const more = `capstan ${name} --help`;
    if (parsed.status === "refused") return refuse(parsed.message, more);
    if (parsed.values["help"] === true)
      return print(renderCommandHelp({ ...command, options }, group));
    const { operands = [] } = command;
    if (typeof operands !== "string") {
      const [first, ...others] = parsed.positionals;
      const unwanted = first === undefined || operands.includes(first) ? others[0] : first;
      if (unwanted !== undefined)
        return refuse(`${name} takes no "${unwanted}".${didYouMean(unwanted, operands)}`, more);
    }
    try {
      const run = await command.load();
      return await run(parsed);
    } catch (error) {
      if (error instanceof CommandFailure) {
        output.stderr.write(`${error.message}\n`);
        return error.exitCode;
      }
      output.stderr.write(`capstan ${name}: ${failureText(error)}\n`);
      return 1;
    }
  }
}

function find<T extends { readonly name: string }>(
  among: readonly T[],
  name: string,
): T | undefined {
  return among.find((one) => one.name === name);
}

function unknown(name: string, among: readonly { readonly name: string }[]): string {
  const names = among.map((one) => one.name);
  const what = name.startsWith("-") ? "flag" : "command";
  return `There is no ${what} ${name}.${didYouMean(name, names)}`;
}

/** An error with a code of its own was made for people; any other is a bug, and its stack helps to find it. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "ERR_";
  return code.startsWith("ERR_") ? (error.stack ?? error.message) : error.message;
}
