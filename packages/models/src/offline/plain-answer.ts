import type { ContentPart, Message, ToolDefinition, UserMessage } from "@capstan/core";
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
