import { commands } from "../commands/commands.ts";
import { packageVersion } from "../package-version.ts";
import type { Command } from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";
import type { Options } from "./option.ts";
import { parseOptions } from "./parse-options.ts";
import { renderCommandHelp, renderProgramHelp } from "./render-help.ts";

const help: Options = { help: { type: "boolean", description: "Say what this command does" } };

/** Where the command line itself writes; a command writes to the process's own. */
export interface Output {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs what the arguments ask for.
 *
 * @param output @default process
 * @returns the exit code: 0, 1 where it failed, 2 where the arguments make no sense
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
    const asked = findCommand(rest[0] ?? "");
    return print(asked ? renderCommandHelp(asked) : renderProgramHelp(commands));
  }
  const command = findCommand(name);
  if (!command) {
    const names = commands.map((one) => one.name);
    const what = name.startsWith("-") ? "flag" : "command";
    return refuse(`There is no ${what} ${name}.${didYouMean(name, names)}`, "capstan --help");
  }
  const options = { ...command.options, ...help };
  const parsed = parseOptions(rest, options);
  const more = `capstan ${command.name} --help`;
  if (parsed.status === "refused") return refuse(parsed.message, more);
  if (parsed.values["help"] === true) return print(renderCommandHelp({ ...command, options }));
  const { positionals: words = [] } = command;
  const [first, ...others] = parsed.positionals;
  const unwanted = first === undefined || words.includes(first) ? others[0] : first;
  if (unwanted !== undefined && command.operands === undefined)
    return refuse(`${command.name} takes no "${unwanted}".${didYouMean(unwanted, words)}`, more);
  try {
    return await command.run(parsed);
  } catch (error) {
    output.stderr.write(`capstan ${command.name}: ${failureText(error)}\n`);
    return 1;
  }
}

function findCommand(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** An error with a code of its own was made for people; any other is a bug, and its stack helps to find it. */
function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error && typeof error.code === "string" ? error.code : "ERR_";
  return code.startsWith("ERR_") ? (error.stack ?? error.message) : error.message;
}
