/** A flag of a command. */
export interface Option {
  readonly type: "string" | "boolean";
  /** Whether the flag can be repeated; its value is then a list. @default false, the last one counts */
  readonly multiple?: true;
  /** The value's placeholder in help: `N`. */
  readonly placeholder?: string;
  readonly description: string;
  /** The environment variable that sets the same value. */
  readonly environment?: string;
}

/** Flags by name, without the dashes. */
export type Options = { readonly [name: string]: Option };

/** The parsed values of the flags. */
export type OptionValues = {
  readonly [name: string]: string | boolean | readonly string[] | undefined;
};

/** Returns the value of a flag that takes one, or `undefined` if the flag was not given. */
export function textOption(values: OptionValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Returns the values of a flag that can be repeated, in order. */
export function listOption(values: OptionValues, name: string): readonly string[] {
  const value = values[name];
  return typeof value === "object" ? value : [];
}

export interface Invocation {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

/** A command: its name, its help, its flags, and a function that loads its code. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /**
   * The accepted operands: one of these words, or a usage text if the command parses its operands
   * itself. @default none
   */
  readonly operands?: string | readonly string[];
  /** The paragraphs of the command's help, wrapped by hand. */
  readonly description: string;
  readonly options: Options;
  readonly examples: readonly { readonly line: string; readonly comment: string }[];
  /** Loads the function that runs the command and resolves to its exit code. @throws CommandFailure */
  load(): Promise<(invocation: Invocation) => Promise<number>>;
}

/** A command with subcommands, for example `capstan scripts list`. */
export interface CommandGroup extends Pick<
  Command,
  "name" | "summary" | "description" | "examples"
> {
  readonly subcommands: readonly Command[];
}

/** Ends a command. Only the message is printed, without a stack. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 if the command failed, 2 if the arguments or settings are wrong */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.name = "CommandFailure";
    this.exitCode = exitCode;
  }
}

/** Prints a value as JSON on standard output. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a line on standard error, because it is not part of the command's result. */
export function printNotice(line: string): void {
  process.stderr.write(`${line}\n`);
}
