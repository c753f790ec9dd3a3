import type { Options, OptionValues } from "./option.ts";

export interface Invocation {
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

/** A subcommand: its help as data, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** What may stand behind the name: one of these words; or as the usage shows it, where the command itself looks at it. @default nothing */
  readonly operands?: string | readonly string[];
  /** Paragraphs of the command's own help, wrapped by hand. */
  readonly description: string;
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
