/** A line like `/ListFiles {"path":"."}`. */
export interface Command {
  readonly name: string;
  /** As it was typed, whether it is JSON or not; empty where nothing was. */
  readonly arguments: string;
  /** `/Name!` calls what nobody has heard of. */
  readonly forced: boolean;
}

const commandLine = /^\/([A-Za-z0-9_-]{1,64})(!?)(?:[ \t]+(.*))?$/;

/**
 * The commands of a message, in rounds: each line `/then` begins another. Lines that are no
 * commands say nothing. Arguments may go on over several lines where that makes them JSON.
 *
 * @example parseCommandLines('/DateTime\n/then\n/ListVars'); // two rounds of one command
 */
export function parseCommandLines(text: string): readonly (readonly Command[])[] {
  const rounds: Command[][] = [[]];
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const match = commandLine.exec(lines[index]?.trim() ?? "");
    if (!match) continue;
    const [, name = "", mark, rest = ""] = match;
    if (name === "then" && !mark) {
      rounds.push([]);
      continue;
    }
    const extent = extentOfJson(rest, lines, index);
    const args = [rest, ...lines.slice(index + 1, index + extent)].join("\n").trim();
    rounds.at(-1)?.push({ name, arguments: args, forced: mark === "!" });
    index += extent - 1;
  }
  return rounds.filter((round) => round.length > 0);
}

/** How many lines the arguments take: more than one only where one is no JSON and more are. */
function extentOfJson(first: string, lines: readonly string[], index: number): number {
  if (!first.startsWith("{") || isJson(first)) return 1;
  let text = first;
  for (let next = index + 1; next < lines.length && next < index + 200; next++) {
    const line = lines[next] ?? "";
    if (commandLine.test(line)) return 1;
    text += `\n${line}`;
    if (line.trimEnd().endsWith("}") && isJson(text)) return next - index + 1;
  }
  return 1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
