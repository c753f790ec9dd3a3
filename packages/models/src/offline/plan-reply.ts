import type { AssistantMessage, Message, ModelRequest, ToolMessage } from "@capstan/core";
import { nearestNames } from "@capstan/core/host";
import { citeResults, plainAnswer, textOfUser } from "./plain-answer.ts";
import { helpText } from "./help-text.ts";

/** What the offline model says next: words, or calls. */
export type Reply =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "calls"; readonly calls: readonly Command[] };

/** What the offline model answers; a pure function of the request. */
export function planReply(request: ModelRequest): Reply {
  const asked = request.messages.findLast((message) => message.role === "user");
  const since = messagesOfTurn(request.messages);
  const results = since.filter((message): message is ToolMessage => message.role === "tool");
  const rounds = roundsOf(asked === undefined ? "" : textOfUser(asked), request.parallelToolCalls);
  const done = since.filter((message) => isCalling(message)).length;
  const next = rounds[done];

  if (next === undefined && results.length > 0) return words(citeResults(results));
  if (next === undefined)
    return words(inabilityToCall(request) ?? plainAnswer(request.messages, request.tools));
  if (done === 0 && rounds.flat().some(isHelp)) return words(helpText(request.tools));
  const objection = objectionTo(rounds.flat(), next, request);
  if (objection === undefined) return { type: "calls", calls: next };
  return words(results.length > 0 ? `${citeResults(results)}\n\n${objection}` : objection);
}

function messagesOfTurn(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex((message) => message.role === "user") + 1);
}

function roundsOf(text: string, parallel: boolean | undefined): readonly (readonly Command[])[] {
  const rounds = parseCommandLines(text);
  return parallel === false ? rounds.flat().map((command) => [command]) : rounds;
}

/** Why the next commands are not called, in words; undefined where they are. */
function objectionTo(
  all: readonly Command[],
  next: readonly Command[],
  request: ModelRequest,
): string | undefined {
  const { toolChoice = "auto", tools } = request;
  const names = tools.map((tool) => tool.function.name);
  const unknown = all.filter(({ name, forced }) => !forced && !names.includes(name));
  if (toolChoice === "none")
    return `Tools are switched off for this answer, so this was not run: ${lineList(next)}.`;
  if (unknown.length > 0) return unknownNames(unknown, names);
  if (typeof toolChoice === "object" && next.every(({ name }) => name !== toolChoice.name)) {
    return `I was told to call \`${toolChoice.name}\`, and cannot: the message has no line \`/${toolChoice.name} {json}\`. Nothing was run.`;
  }
  return undefined;
}

/** A message without a line to run, where the request insists on a call. */
function inabilityToCall({ toolChoice = "auto" }: ModelRequest): string | undefined {
  if (toolChoice === "auto" || toolChoice === "none") return undefined;
  const name = typeof toolChoice === "object" ? toolChoice.name : "Tool";
  return `I was told to call ${name === "Tool" ? "a tool" : `\`${name}\``}, and cannot: I am no AI, and the message has no line \`/${name} {json}\`.`;
}

function unknownNames(unknown: readonly Command[], names: readonly string[]): string {
  const lines = unknown.map(({ name }) => {
    const near = nearestNames(name, names).map((candidate) => `\`/${candidate}\``);
    const hint = near.length > 0 ? ` The nearest: ${near.join(", ")}.` : "";
    return `There is no tool \`${name}\` switched on.${hint} \`/${name}!\` would call it all the same.`;
  });
  return [...lines, "Nothing was run. `/help` lists what there is."].join("\n\n");
}

function lineList(commands: readonly Command[]): string {
  return commands.map(({ name }) => `\`/${name}\``).join(", ");
}

function isHelp({ name, forced }: Command): boolean {
  return name === "help" && !forced;
}

function isCalling(message: Message): message is AssistantMessage {
  return message.role === "assistant" && (message.tool_calls?.length ?? 0) > 0;
}

function words(text: string): Reply {
  return { type: "text", text };
}

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
