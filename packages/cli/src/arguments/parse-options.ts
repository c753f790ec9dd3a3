import { parseArgs } from "node:util";
import { nearestNames } from "@capstan/core/host";
import type { Options } from "./command.ts";

export type ParsedOptions =
  | {
      readonly status: "parsed";
      readonly values: { readonly [name: string]: string | boolean };
      readonly positionals: readonly string[];
    }
  | { readonly status: "refused"; readonly message: string };

/**
 * Reads flags by a table of options. The last of a repeated flag counts; arguments after `--` are
 * not flags.
 */
export function parseOptions(args: readonly string[], options: Options): ParsedOptions {
  // Not strict: the tokens tell enough to say what was meant, where parseArgs would only throw.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [name, { type }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: { [name: string]: string | boolean } = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option || !token.rawName.startsWith("--")) {
      const flags = Object.keys(options).map((name) => `--${name}`);
      return refused(`There is no flag ${token.rawName}.${didYouMean(token.rawName, flags)}`);
    }
    if (option.type === "boolean") {
      if (token.value !== undefined) return refused(`--${token.name} takes no value.`);
      values[token.name] = true;
    } else {
      const missing =
        token.value === undefined || (!token.inlineValue && token.value.startsWith("--"));
      if (missing || token.value === "") {
        return refused(
          `--${token.name} needs a value: --${token.name} ${option.placeholder ?? "VALUE"}`,
        );
      }
      values[token.name] = token.value;
    }
  }
  return { status: "parsed", values, positionals };
}

function refused(message: string): ParsedOptions {
  return { status: "refused", message };
}

/**
 * Returns ` Did you mean X?`, or an empty text if no candidate is similar.
 *
 * @example didYouMean("groops", ["groups", "tools"]) // " Did you mean groups?"
 */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const [nearest] = nearestNames(name, candidates, 1);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}
