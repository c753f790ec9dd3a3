import type {
  AssistantMessage,
  Message,
  ModelRequest,
  ToolMessage,
  ContentPart,
  ToolDefinition,
  UserMessage,
} from "@capstan/core";
import { nearestNames, summaryRequest } from "@capstan/core/host";
import { helpText, exampleLine } from "./help-text.ts";
import { namedFunction } from "./named-function.ts";

export type Reply =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "calls"; readonly calls: readonly Command[] };

/** Returns the offline model's answer. It depends only on the request. */
export function planReply(request: ModelRequest): Reply {
  const asked = request.messages.findLast((message) => message.role === "user");
  if (asked !== undefined && textOfUser(asked) === summaryRequest)
    return words(quoteAll(request.messages.slice(0, request.messages.lastIndexOf(asked))));
  const since = messagesOfTurn(request.messages);
  const results = since.filter((message): message is ToolMessage => message.role === "tool");
  const rounds = roundsOf(asked === undefined ? "" : textOfUser(asked), request.parallelToolCalls);
  const done = since.filter((message) => isCalling(message)).length;
  const next = rounds[done];

  if (next === undefined && results.length > 0) return words(citeResults(results));
  const called = namedFunction(request, asked === undefined ? "" : textOfUser(asked));
  if (next === undefined && called !== undefined) return { type: "calls", calls: [called] };
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

/** Returns the text that explains why the next commands cannot run, or `undefined` if they can. */
function objectionTo(
  all: readonly Command[],
  next: readonly Command[],
  request: ModelRequest,
): string | undefined {
  const { toolChoice = "auto", tools } = request;
  const names = tools.map((tool) => tool.function.name);
  const unknown = all.filter(({ name, forced }) => !forced && !names.includes(name));
  if (toolChoice === "none")
    return `The request disables tools for this answer. These commands were not run: ${lineList(next)}.`;
  if (unknown.length > 0) return unknownNames(unknown, names);
  if (typeof toolChoice === "object" && next.every(({ name }) => name !== toolChoice.name)) {
    return `The request requires a call of \`${toolChoice.name}\`, but the message has no line \`/${toolChoice.name} {json}\`. Nothing was run.`;
  }
  return undefined;
}

/** Returns the answer to a message without commands if the request requires a call. */
function inabilityToCall({ toolChoice = "auto" }: ModelRequest): string | undefined {
  if (toolChoice === "auto" || toolChoice === "none") return undefined;
  const name = typeof toolChoice === "object" ? toolChoice.name : "Tool";
  return `The request requires a call of ${name === "Tool" ? "a tool" : `\`${name}\``}, but the message has no line \`/${name} {json}\`.`;
}

function unknownNames(unknown: readonly Command[], names: readonly string[]): string {
  const lines = unknown.map(({ name }) => {
    const near = nearestNames(name, names).map((candidate) => `\`/${candidate}\``);
    const hint = near.length > 0 ? ` Similar names: ${near.join(", ")}.` : "";
    return `The tool \`${name}\` is not enabled.${hint} Write \`/${name}!\` to call it anyway.`;
  });
  return [...lines, "Nothing was run. Send `/help` for a list of the enabled tools."].join("\n\n");
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

/** A command such as `/ListFiles {"path":"."}`. */
export interface Command {
  readonly name: string;
  /** The arguments as typed. They may be empty or invalid JSON. */
  readonly arguments: string;
  /** Whether the user wrote `/Name!`, which also calls unknown tools. */
  readonly forced: boolean;
}

const commandLine = /^\/([A-Za-z0-9_-]{1,64})(!?)(?:[ \t]+(.*))?$/;

/**
 * Returns the commands of a message, grouped into rounds. Each line `/then` begins a new round.
 * Other lines are ignored. Arguments may span several lines if that makes them valid JSON.
 *
 * @example parseCommandLines('/DateTime\n/then\n/ListVars'); // two rounds of one command
 */
function parseCommandLines(text: string): readonly (readonly Command[])[] {
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

/**
 * Returns the number of lines of the arguments. It is more than one only if the first line is not
 * valid JSON and several lines are.
 */
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

const suggested = ["ListFiles", "DateTime", "FetchWebPage", "SearchFiles", "ListVars"];

/**
 * Returns the answer to a message without commands: an introduction, the enabled tools and
 * examples.
 */
function plainAnswer(messages: readonly Message[], tools: readonly ToolDefinition[]): string {
  const users = messages.filter((message) => message.role === "user");
  return [introduction(users), enabledTools(tools), thingsToTry(tools)].join("\n\n");
}

/** Returns the text of a user's message, without its other parts. */
export function textOfUser({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content.map((part: ContentPart) => (part.type === "text" ? part.text : "")).join("\n");
}

function introduction(users: readonly UserMessage[]): string {
  const what =
    "I am Capstan's offline model: no AI, but a small program that runs your commands and shows their results.";
  const before = users
    .slice(0, -1)
    .map(textOfUser)
    .findLast((text) => text.trim() !== "");
  if (before === undefined) return what;
  const earlier =
    users.length === 2
      ? "Your previous message was"
      : `This is message ${users.length} from you. The previous one was`;
  return `${what} ${earlier} “${quote(before)}”. Results of earlier calls are stored as variables.`;
}

function enabledTools(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "No tool is enabled.";
  return `Enabled tools: ${tools.map((tool) => `\`${tool.function.name}\``).join(", ")}.`;
}

function thingsToTry(tools: readonly ToolDefinition[]): string {
  const ranked = tools.toSorted((a, b) => rank(a) - rank(b)).slice(0, 2);
  const lines = ranked.map((tool) => `- \`${exampleLine(tool)}\``);
  const together =
    lines.length === 2 ? "\n\nSend both lines in one message to run the calls in parallel." : "";
  return ["Try one of these:", "", ...lines, "- `/help`, for all commands"].join("\n") + together;
}

function rank({ function: { name } }: ToolDefinition): number {
  const index = suggested.indexOf(name);
  return index < 0 ? suggested.length : index;
}

const mostQuoted = 40;

/**
 * Returns a summary of a conversation. It quotes each message, or only the newest ones if there are
 * too many.
 */
function quoteAll(messages: readonly Message[]): string {
  const lines = messages.flatMap((message) => {
    if (message.role === "system" || message.role === "developer") return [];
    const text = message.role === "user" ? textOfUser(message) : message.content;
    const who = message.role === "tool" ? message.name : message.role;
    return text.trim() === "" ? [] : [`- ${who}: “${quote(text)}”`];
  });
  const omitted = lines.length - mostQuoted;
  const head = omitted > 0 ? [`${omitted} earlier messages are omitted.`] : [];
  return lines.length === 0
    ? "The conversation has no text."
    : [...head, ...lines.slice(-mostQuoted)].join("\n");
}

function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
}

const excerptLines = 6;
const excerptChars = 400;

/** Returns a report of the results: a quotation of each result, and a message for each error. */
function citeResults(results: readonly ToolMessage[]): string {
  const [only] = results;
  if (results.length === 1 && only !== undefined) return citeResult(only, "");
  const summary = `${results.length} calls were made.`;
  return [summary, ...results.map((result, index) => citeResult(result, `${index + 1}. `))].join(
    "\n\n",
  );
}

function citeResult({ name, content, parts }: ToolMessage, number: string): string {
  const refusal = /^(?:The user (?:denied|refused)|This call is not allowed)\b[\s\S]*/.exec(
    content,
  )?.[0];
  if (refusal !== undefined) return `${number}**${name}** was not run. ${firstLine(refusal)}`;
  const failure = /^Error \(([^)]*)\): ([\s\S]*)/.exec(content);
  if (failure) {
    const [, code, message = ""] = failure;
    return `${number}**${name}** failed (\`${code}\`): ${failureText(name, message)}`;
  }
  const { text, isWhole } = excerptOf(content);
  if (text === "") return `${number}**${name}** returned an empty result.`;
  const said = isWhole ? "returned" : "returned (first lines)";
  return [
    `${number}**${name}** ${said}:\n\n${inBlock(text)}`,
    attachmentNote(parts),
    handleNote(content, isWhole),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Returns the first lines of a result, without the note at its end that names the variable. */
function excerptOf(content: string): { readonly text: string; readonly isWhole: boolean } {
  const whole = content
    .replace(/\n\n\[(?:Omitted: |Truncated by |Stored as )[^\n]*\]$/, "")
    .trimEnd();
  const lines = whole.split("\n").slice(0, excerptLines).join("\n");
  const text =
    lines.length > excerptChars ? `${lines.slice(0, excerptChars).toWellFormed()} …` : lines;
  return { text, isWhole: text === whole };
}

/** Returns the text as a code block whose fence is longer than any fence inside it. */
function inBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function attachmentNote(parts: ToolMessage["parts"]): string {
  const attached = parts?.filter((part) => part.type !== "text").length ?? 0;
  return attached === 0 ? "" : `The result has ${attached} attachment${attached === 1 ? "" : "s"}.`;
}

function handleNote(content: string, isWhole: boolean): string {
  const handle = (/\$VAR_REF\{\{([^}]+)\}\}\]$/.exec(content) ??
    /\[Stored as ([^\]]+)\]$/.exec(content))?.[1];
  if (handle === undefined) return "";
  const use = `\`/ReadVar ${JSON.stringify({ name: handle })}\` reads it, and \`$VAR_REF{{${handle}}}\` in an argument inserts it.`;
  return `${isWhole ? "It" : "The full result"} is stored as \`${handle}\`: ${use}`;
}

/**
 * Returns the first line of an error, with the list that follows it, which names the invalid
 * arguments, and with a line that calls the tool with valid ones.
 */
function failureText(name: string, message: string): string {
  const [first = "", ...rest] = message.trim().split("\n");
  const end = rest.findIndex((line) => !line.startsWith("- "));
  const list = first.endsWith(":") ? rest.slice(0, end < 0 ? undefined : end) : [];
  const [, valid] = /^Valid arguments: (\{.*\})$/m.exec(rest.slice(list.length).join("\n")) ?? [];
  const example = valid === undefined ? [] : ["", `For example: \`/${name} ${valid}\``];
  return [first, ...list.map((line) => `   ${line}`), ...example].join("\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
