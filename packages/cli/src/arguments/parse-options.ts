import { parseArgs } from "node:util";
import { nearestNames } from "@capstan/core/host";
import { argumentTexts } from "../texts/arguments.ts";
import { helpTexts } from "../texts/help.ts";
import type { Options } from "./command.ts";

export type ParsedOptions =
  | {
      readonly status: "parsed";
      readonly values: { readonly [name: string]: string | boolean | readonly string[] };
      readonly positionals: readonly string[];
    }
  | { readonly status: "invalid"; readonly message: string };

/**
 * Parses flags by a table of options. If a flag is repeated, the last one counts, unless its option
 * is `multiple`. Arguments after `--` are not flags.
 */
export function parseOptions(args: readonly string[], options: Options): ParsedOptions {
  // In strict mode parseArgs throws, and the message could not suggest a similar flag.
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type }]) => [name, { type }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: { [name: string]: string | boolean | readonly string[] } = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option || !token.rawName.startsWith("--")) {
      const flags = Object.keys(options).map((name) => `--${name}`);
      return invalid(argumentTexts.unknownFlag(token.rawName, didYouMean(token.rawName, flags)));
    }
    if (option.type === "boolean") {
      if (token.value !== undefined) return invalid(argumentTexts.switchWithValue(token.name));
      values[token.name] = true;
    } else {
      const missing =
        token.value === undefined || (!token.inlineValue && token.value.startsWith("--"));
      if (missing || token.value === "") {
        const placeholder = option.placeholder ?? helpTexts.defaultPlaceholder;
        return invalid(argumentTexts.missingValue(token.name, placeholder));
      }
      const before = values[token.name];
      values[token.name] =
        option.multiple === true
          ? [...(typeof before === "object" ? before : []), token.value]
          : token.value;
    }
  }
  return { status: "parsed", values, positionals };
}

function invalid(message: string): ParsedOptions {
  return { status: "invalid", message };
}

/**
 * Returns ` Did you mean X?`, or an empty string if no candidate is similar.
 *
 * @example didYouMean("groops", ["groups", "tools"]) // " Did you mean groups?"
 */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const [nearest] = nearestNames(name, candidates, 1);
  return nearest === undefined ? "" : argumentTexts.didYouMean(nearest);
}
