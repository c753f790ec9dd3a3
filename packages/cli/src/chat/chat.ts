import type { RunWithEvents, ServerInfo } from "@capstan/contract";
import {
  type ChatClient,
  type ChatSession,
  createSession,
  findConversation,
  printFailure,
  printLine,
  type Resume,
} from "./chat-session.ts";
import { attachFiles } from "./attach-files.ts";
import { chatsCommand } from "./chats-command.ts";
import { findFileMentions } from "./file-mentions.ts";
import { toolsCommand } from "./tools-command.ts";
import {
  grantsCommand,
  modelCommand,
  readSlashCommand,
  unknownCommandText,
  variablesCommand,
} from "./slash-command.ts";
import { handleInterrupts, sendMessage, showTurn } from "./send-message.ts";
import { formatCount, type Style } from "../terminal/style.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Message, readMessage, type Terminal } from "../terminal/terminal.ts";
import { chatTexts } from "../texts/chat.ts";

const texts = chatTexts.session;

export interface ChatOptions {
  readonly client: ChatClient;
  readonly terminal: Terminal;
  readonly style: Style;
  /** @default the model of the last run, else the server's default */
  readonly model?: string | undefined;
  /** @default a new conversation */
  readonly resume?: Resume | undefined;
  /** Whether to allow each call that needs approval without prompting. */
  readonly yes: boolean;
}

/**
 * Chats until the user leaves or the input ends.
 *
 * @returns the exit code: 1 if the input was not a terminal and a turn failed
 * @throws ApiError if the server cannot be reached at all
 */
export async function chat(options: ChatOptions): Promise<number> {
  const { client, terminal, style, resume, yes } = options;
  const info = await client.info();
  const conversation = await findConversation(client, resume);
  const runs = conversation ? await client.runs(conversation.id) : [];
  const model = options.model ?? runs.at(-1)?.model ?? info.model.id;
  const session = createSession({ client, terminal, style, model, conversation, yes });
  const offInterrupt = handleInterrupts(session);
  try {
    if (terminal.interactive) greet(session, info);
    await resumeConversation(session, runs);
    while (!session.leave.signal.aborted) {
      const message = await readMessage(terminal, style.bold("› "));
      session.wantsToLeave = false;
      if (message === undefined || (await obey(session, message)) === "quit") break;
    }
    return session.failed && !terminal.interactive ? 1 : 0;
  } finally {
    offInterrupt();
    terminal.close();
  }
}

/** Sends a message with the files that the user names in it. */
async function sendTyped(
  session: ChatSession,
  text: string,
  pasted: readonly string[],
): Promise<void> {
  const { client, terminal, style, leave } = session;
  if (!terminal.interactive) return void (await sendMessage(session, text));
  const { paths, missing } = await findFileMentions(text);
  // Another author may have written the pasted text, which may end within a name.
  if (paths.length > 0 && pasted.length > 0) {
    printLine(session, style.yellow(printableLine(chatTexts.files.pasted(paths.join(", ")))));
    return void (await sendMessage(session, text));
  }
  for (const path of missing)
    printLine(session, style.dim(printableLine(chatTexts.files.missing(path))));
  const attached = await attachFiles(paths, { client, signal: leave.signal });
  for (const { name, size } of attached)
    printLine(session, style.dim(printableLine(chatTexts.files.attached(name, size))));
  await sendMessage(session, text, attached);
}

function greet(session: ChatSession, info: ServerInfo): void {
  const { style, model, client } = session;
  const why = model === info.model.id ? ` (${info.model.reason})` : "";
  printLine(session, `${style.bold(`Capstan ${info.version}`)} · ${printableLine(model + why)}`);
  printLine(session, style.dim(texts.page(client.url)));
  printLine(session, style.dim(`${texts.start}\n`));
}

/** Shows the last turn of the conversation, and follows it if it is in progress. */
async function resumeConversation(
  session: ChatSession,
  runs: readonly RunWithEvents[],
): Promise<void> {
  const { conversation, terminal, style } = session;
  const last = runs.at(-1);
  if (!conversation) return;
  if (terminal.interactive) {
    const about = ` · ${conversation.id} · ${formatCount(runs.length, "turn")}`;
    printLine(session, style.bold(printableLine(conversation.title)) + style.dim(about));
  }
  if (last && (terminal.interactive || last.ended_at === null))
    await showTurn(session, last.id, last);
  // Failures of earlier turns do not affect the exit code.
  session.failed = false;
}

async function obey(
  session: ChatSession,
  { text: line, pasted }: Message,
): Promise<"quit" | undefined> {
  const command = readSlashCommand(line);
  const { client, terminal } = session;
  try {
    switch (command.type) {
      case "quit":
        return "quit";
      case "new":
        session.conversation = undefined;
        printLine(session, texts.newConversation);
        break;
      case "help":
        printLine(session, chatTexts.commands.help);
        // The offline model answers /help with its own commands.
        if (session.model === "capstan/offline") await sendMessage(session, "/help");
        break;
      case "chats": {
        const chosen = await chatsCommand(session, command.number);
        if (chosen === undefined) break;
        session.conversation = chosen;
        await resumeConversation(session, await client.runs(chosen.id));
        break;
      }
      case "tools":
        await toolsCommand(session, command.name);
        break;
      case "model":
        await modelCommand(session, command.id);
        break;
      case "vars":
        await variablesCommand(session, command.name);
        break;
      case "grants":
        await grantsCommand(session, command.revoke);
        break;
      case "unknown":
        printLine(session, unknownCommandText(command.word));
        if (!terminal.interactive) session.failed = true;
        break;
      case "message":
        if (command.text.trim() !== "") await sendTyped(session, command.text, pasted);
    }
  } catch (error) {
    printFailure(session, error);
  }
  return undefined;
}
