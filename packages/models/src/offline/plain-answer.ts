import type { ToolMessage, ContentPart, Message, ToolDefinition, UserMessage } from "@capstan/core";
import { exampleLine } from "./example-arguments.ts";

const suggested = ["ListFiles", "DateTime", "FetchWebPage", "SearchFiles", "ListVars"];

/** The answer to a message without a command: what this is, what is on, what to try. */
export function plainAnswer(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
): string {
  const users = messages.filter((message) => message.role === "user");
  return [introduction(users), enabledTools(tools), thingsToTry(tools)].join("\n\n");
}

/** The text of a user's message; what is no text is left out. */
export function textOfUser({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content.map((part: ContentPart) => (part.type === "text" ? part.text : "")).join("\n");
}

function introduction(users: readonly UserMessage[]): string {
  const what =
    "I am Capstan's offline model: no AI, a small program that runs the tools you name and shows what they answer.";
  const before = users
    .slice(0, -1)
    .map(textOfUser)
    .findLast((text) => text.trim() !== "");
  if (before === undefined) return what;
  const earlier =
    users.length === 2
      ? "Before this you wrote"
      : `This is your message ${users.length}; the one before was`;
  return `${what} ${earlier} “${quote(before)}”. I keep no thoughts of my own between messages, but results are kept as variables.`;
}

function enabledTools(tools: readonly ToolDefinition[]): string {
  if (tools.length === 0) return "No tool is switched on at the moment.";
  return `Switched on: ${tools.map((tool) => `\`${tool.function.name}\``).join(", ")}.`;
}

function thingsToTry(tools: readonly ToolDefinition[]): string {
  const ranked = tools.toSorted((a, b) => rank(a) - rank(b)).slice(0, 2);
  const lines = ranked.map((tool) => `- \`${exampleLine(tool)}\``);
  const together = lines.length === 2 ? "\n\nBoth lines in one message run side by side." : "";
  return (
    ["Try one of these:", "", ...lines, "- `/help`, which teaches the rest"].join("\n") + together
  );
}

function rank({ function: { name } }: ToolDefinition): number {
  const index = suggested.indexOf(name);
  return index < 0 ? suggested.length : index;
}

function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line;
}

const excerptLines = 6;
const excerptChars = 400;

/** What came of the calls, as a model would tell it: each result quoted, each failure said plainly. */
export function citeResults(results: readonly ToolMessage[]): string {
  const [only] = results;
  if (results.length === 1 && only !== undefined) return citeResult(only, "");
  const summary = `${results.length} calls were made.`;
  return [summary, ...results.map((result, index) => citeResult(result, `${index + 1}. `))].join(
    "\n\n",
  );
}

function citeResult({ name, content, parts }: ToolMessage, number: string): string {
  const refusal = /^(?:A person|This call is not allowed)\b[\s\S]*/.exec(content)?.[0];
  if (refusal !== undefined)
    return `${number}**${name}** did not go through. ${firstLine(refusal)}`;
  const failure = /^Error \(([^)]*)\): ([\s\S]*)/.exec(content);
  if (failure) {
    const [, code, message = ""] = failure;
    return `${number}**${name}** failed (\`${code}\`): ${failureText(message)}`;
  }
  const { text, isWhole } = excerptOf(content);
  if (text === "") return `${number}**${name}** gave an empty result.`;
  const said = isWhole ? "says" : "begins with";
  return [
    `${number}**${name}** ${said}:\n\n${inBlock(text)}`,
    attachmentNote(parts),
    handleNote(content, isWhole),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** The system's own notes after the text (handles, what was cut) are no part of the quotation. */
function excerptOf(content: string): { readonly text: string; readonly isWhole: boolean } {
  const whole = content.replace(/\n\n\[(?:Cut: |Kept as )[^\n]*\]$/, "").trimEnd();
  const lines = whole.split("\n").slice(0, excerptLines).join("\n");
  const text =
    lines.length > excerptChars ? `${lines.slice(0, excerptChars).toWellFormed()} …` : lines;
  return { text, isWhole: text === whole };
}

/** A fenced block whose fence is longer than any inside it. */
function inBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function attachmentNote(parts: ToolMessage["parts"]): string {
  const attached = parts?.filter((part) => part.type !== "text").length ?? 0;
  return attached === 0 ? "" : `It came with ${attached} attachment${attached === 1 ? "" : "s"}.`;
}

function handleNote(content: string, isWhole: boolean): string {
  const handle = (/\$VAR_REF\{\{([^}]+)\}\}\]$/.exec(content) ??
    /\[Kept as ([^\]]+)\]$/.exec(content))?.[1];
  if (handle === undefined) return "";
  const use = `\`/ReadVar ${JSON.stringify({ name: handle })}\` reads it, \`$VAR_REF{{${handle}}}\` in an argument passes it on.`;
  return `${isWhole ? "It" : "The whole"} is kept as \`${handle}\`: ${use}`;
}

/** Its first line, with the list that the line announces: what does not fit is said there. */
function failureText(message: string): string {
  const [first = "", ...rest] = message.trim().split("\n");
  const end = rest.findIndex((line) => !line.startsWith("- "));
  const list = first.endsWith(":") ? rest.slice(0, end < 0 ? undefined : end) : [];
  return [first, ...list.map((line) => `   ${line}`)].join("\n");
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
