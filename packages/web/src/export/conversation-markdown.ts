import type { RunView } from "@capstan/contract";
import type { InputFile } from "../attachments/input-files.ts";
import { groupTurns, inputMessages } from "../chat/group-turns.ts";
import type { CallState } from "../run/call-state.ts";
import type { Block, RunState } from "../run/run-state.ts";
import { exportTexts } from "../texts/export.ts";

/** A run with its state on the page. */
export interface ExportedRun {
  readonly view: RunView;
  readonly state: RunState;
}

/** A chat to export. */
export interface ExportedChat {
  readonly title: string;
  /** The runs of the branch, oldest first. */
  readonly runs: readonly ExportedRun[];
  /** The link to each file, by its id. Files without a link are written as names. */
  readonly fileAddresses?: ReadonlyMap<string, string>;
}

/** The maximum length of arguments in UTF-16 code units. Longer ones are truncated. */
const maxArguments = 500;

/** Returns a chat as a Markdown document: the messages, the answers, and a line for each call. */
export function conversationMarkdown(chat: ExportedChat): string {
  const parts = [`# ${oneLine(chat.title)}`];
  for (const turn of groupTurns(chat.runs)) {
    if (turn.isAdded) {
      for (const { role, text } of inputMessages(turn.runs.flatMap(({ view }) => view.input)))
        parts.push(`## ${role === "user" ? exportTexts.user : exportTexts.assistant}`, text);
      continue;
    }
    const files = turn.files.map((file) => fileLine(file, chat));
    parts.push(`## ${exportTexts.user}`, turn.text, files.join("\n"));
    for (const { view, state } of turn.runs)
      parts.push(
        `## ${oneLine(view.model)}`,
        ...state.blocks.map((block) => blockText(block, state)),
      );
    const failure = turn.runs.at(-1)?.view.error;
    if (failure) parts.push(`> ${exportTexts.failed(oneLine(failure.message))}`);
  }
  return `${parts.filter((part) => part.trim() !== "").join("\n\n")}\n`;
}

function fileLine({ id, name }: InputFile, { fileAddresses }: ExportedChat): string {
  const address = id === null ? undefined : fileAddresses?.get(id);
  const label = oneLine(name).replaceAll(/[[\]\\]/g, String.raw`\$&`);
  return address === undefined ? `- ${label}` : `- [${label}](<${address}>)`;
}

function blockText(block: Block, { calls }: RunState): string {
  if (block.type === "text") return block.isVoid ? "" : block.text.trim();
  if (block.type === "reasoning") return "";
  const call = calls[block.id];
  return call === undefined ? "" : callLine(call);
}

function callLine({ name, args, argumentsText, phase, status }: CallState): string {
  const text = args === null ? argumentsText : JSON.stringify(args);
  const short =
    text.length > maxArguments ? `${text.slice(0, maxArguments).toWellFormed()}…` : text;
  return `> **${oneLine(name)}** ${codeSpan(oneLine(short))} (${status ?? phase})`;
}

/** Formats a text as inline code, with a delimiter longer than its backticks. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
