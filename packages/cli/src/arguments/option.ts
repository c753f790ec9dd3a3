/** One flag of a command: how it is read, and what its help says. */
export interface Option {
  readonly type: "string" | "boolean";
  /** What stands for the value in help: `N`. */
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
