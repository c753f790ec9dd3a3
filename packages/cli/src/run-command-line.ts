import { commands } from "./commands/commands.ts";
import { packageVersion } from "./install/package-version.ts";
import {
  type Command,
  CommandFailure,
  type CommandGroup,
  type Options,
} from "./arguments/command.ts";
import { didYouMean, parseOptions } from "./arguments/parse-options.ts";
import { argumentTexts } from "./texts/arguments.ts";
import { helpTexts } from "./texts/help.ts";
import { renderCommandHelp, renderGroupHelp, renderProgramHelp } from "./arguments/render-help.ts";

const helpOption: Options = { help: { type: "boolean", description: helpTexts.help } };

/** Streams for help and errors. Commands write to the streams of the process. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs the command that the arguments select.
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
  const reject = (message: string, help: string) => {
    output.stderr.write(`${argumentTexts.seeHelp(message, help)}\n`);
    return 2;
  };
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h")
    return print(renderProgramHelp(commands));
  if (name === "--version" || name === "-v") return print(`${packageVersion()}\n`);
  if (name === "help") {
    const command = find(commands, rest[0] ?? "");
    if (command === undefined) return print(renderProgramHelp(commands));
    if (!("subcommands" in command)) return print(renderCommandHelp(command));
    const subcommand = find(command.subcommands, rest[1] ?? "");
    return print(subcommand ? renderCommandHelp(subcommand, command) : renderGroupHelp(command));
  }
  const found = find(commands, name);
  if (!found) return reject(unknown(name, commands), "capstan --help");
  if (!("subcommands" in found)) return runCommand(found, rest);
  const [subcommand, ...operands] = rest;
  if (subcommand === undefined || subcommand === "--help") return print(renderGroupHelp(found));
  const command = find(found.subcommands, subcommand);
  if (!command)
    return reject(unknown(subcommand, found.subcommands), `capstan ${found.name} --help`);
  return runCommand(command, operands, found);

  async function runCommand(
    command: Command,
    given: readonly string[],
    group?: CommandGroup,
  ): Promise<number> {
    const name = group === undefined ? command.name : `${group.name} ${command.name}`;
    const options = { ...command.options, ...helpOption };
    const parsed = parseOptions(given, options);
    const ownHelp = `capstan ${name} --help`;
    if (parsed.status === "invalid") return reject(parsed.message, ownHelp);
    if (parsed.values["help"] === true)
      return print(renderCommandHelp({ ...command, options }, group));
    const { operands = [] } = command;
    if (typeof operands !== "string") {
      const [first, ...others] = parsed.positionals;
      const unwanted = first === undefined || operands.includes(first) ? others[0] : first;
      if (unwanted !== undefined) {
        const message = argumentTexts.unexpectedOperand(name, unwanted);
        return reject(message + didYouMean(unwanted, operands), ownHelp);
      }
    }
    try {
      const run = await command.load();
      return await run(parsed);
    } catch (error) {
      if (error instanceof CommandFailure) {
        output.stderr.write(`${error.message}\n`);
        return error.exitCode;
      }
      output.stderr.write(`${argumentTexts.commandFailed(name, failureText(error))}\n`);
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
  const hint = didYouMean(name, names);
  return name.startsWith("-")
    ? argumentTexts.unknownFlag(name, hint)
    : argumentTexts.unknownCommand(name, hint);
}

/** Returns the message of an error with one of Capstan's codes. Any other error is a bug, so its stack is shown. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "ERR_";
  return code.startsWith("ERR_") ? (error.stack ?? error.message) : error.message;
}
