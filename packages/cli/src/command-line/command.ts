import type { Options, OptionValues } from "./option.ts";

export interface Invocation {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

/** A subcommand: its help as data, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What may stand behind the name, as the usage shows it; the command itself looks at it. @default `positionals` alone */
  readonly operands?: string;
  /** Paragraphs of the command's own help, wrapped by hand. */
  readonly description: string;
  /** The words that may follow its name, one of them. @default none */
  readonly positionals?: readonly string[];
  readonly options: Options;
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  /** Resolves to the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** Commands about one thing: `capstan scripts list`. */
export interface CommandGroup extends Pick<
  Command,
  "name" | "summary" | "description" | "examples"
> {
  readonly subcommands: readonly Command[];
}
