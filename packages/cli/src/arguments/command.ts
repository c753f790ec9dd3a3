/** One flag of a command: how it is read, and what its help says. */
export interface Option {
  readonly type: "string" | "boolean";
  /** The value's placeholder in help: `N`. */
  readonly placeholder?: string;
  readonly description: string;
  /** The environment variable that says the same. */
  readonly environment?: string;
}

/** By name, without the dashes. */
export type Options = { readonly [name: string]: Option };

/** Flags as they were given. */
export type OptionValues = { readonly [name: string]: string | boolean | undefined };

/** The text of a flag that takes one. */
export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

export interface Invocation {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

/** A subcommand: its help as data, and a function that loads its code. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /**
   * The accepted operands: one of these words, or a usage text if the command checks its operands
   * itself. @default none
   */
  readonly operands?: string | readonly string[];
  /** Paragraphs of the command's own help, wrapped by hand. */
  readonly description: string;
  readonly options: Options;
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  /** Loads the command. It resolves to its exit code. @throws CommandFailure */
  load(): Promise<(invocation: Invocation) => Promise<number>>;
}

/** Commands about one thing: `capstan scripts list`. */
export interface CommandGroup extends Pick<
  Command,
  "name" | "summary" | "description" | "examples"
> {
  readonly subcommands: readonly Command[];
}

/** Ends a command with a message for people, which is all that is printed. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 if the command failed, 2 if the arguments or settings are wrong */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a line that is not part of a command's result. */
export function printNotice(line: string): void {
  process.stderr.write(`${line}\n`);
}
