import { readdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Client } from "@capstan/client";
import { printableLine } from "../terminal/printable.ts";
import type { Complete } from "../terminal/terminal.ts";
import { slashCommands } from "./slash-command.ts";

interface CompletionSources {
  readonly client: Pick<Client, "models" | "toolGroups">;
  /** The folder of relative paths. @default the current one */
  readonly folder?: string;
}

/** Completes commands, their operands, tools of the offline model, and files after `@`. */
export function createCompletion({ client, folder = process.cwd() }: CompletionSources): Complete {
  return async (line) => {
    const mention = /(?:^|\s)(@"?)([^"\s]*|(?<=")[^"]*)$/.exec(line);
    if (mention) {
      const [, sign = "", path = ""] = mention;
      const word = sign + path;
      return { candidates: (await pathsFrom(folder, path)).map(mentionOf), word };
    }
    const operand = /^\/(model|tools)\s+(\S*)$/.exec(line);
    if (operand) {
      const [, command, word = ""] = operand;
      const names = command === "model" ? await modelIds(client) : await toolNames(client);
      return { candidates: startingWith(names, word), word };
    }
    if (!/^\/\S*$/.test(line)) return { candidates: [], word: line };
    const tools = (await toolNames(client)).map((name) => `/${name} `);
    const commands = slashCommands.map((name) => `/${name} `);
    return { candidates: startingWith([...commands, ...tools], line), word: line };
  };
}

const startingWith = (words: readonly string[], start: string) =>
  words.filter((word) => word.startsWith(start));

async function modelIds(client: CompletionSources["client"]): Promise<readonly string[]> {
  return (await client.models()).map(({ id }) => id);
}

async function toolNames(client: CompletionSources["client"]): Promise<readonly string[]> {
  return (await client.toolGroups()).flatMap(({ tools }) => tools.map(({ name }) => name));
}

/** Returns the paths that begin with a text. Hidden files are listed only if the name begins with a dot. */
async function pathsFrom(folder: string, start: string): Promise<readonly string[]> {
  const isFolder = start === "" || start.endsWith("/");
  const parent = isFolder ? start : dirname(start) === "." ? "" : `${dirname(start)}/`;
  const prefix = isFolder ? "" : start.slice(start.lastIndexOf("/") + 1);
  const base = parent === "//" ? "/" : parent;
  const entries = await readdir(resolve(folder, base), { withFileTypes: true }).catch(() => []);
  return (
    entries
      // The line editor writes names as they are, so a name must not control the terminal.
      .filter(({ name }) => name.startsWith(prefix) && printableLine(name) === name)
      .filter(({ name }) => prefix !== "" || !name.startsWith("."))
      .map((entry) => `${base}${entry.name}${entry.isDirectory() ? "/" : ""}`)
      .toSorted()
  );
}

/** A path with spaces is quoted. */
function mentionOf(path: string): string {
  const end = path.endsWith("/") ? "" : " ";
  return /\s/.test(path) ? `@"${path}${end === "" ? "" : `"${end}`}` : `@${path}${end}`;
}
