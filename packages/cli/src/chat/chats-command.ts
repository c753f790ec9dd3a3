import type { ConversationView } from "@capstan/contract";
import { printableLine } from "../terminal/printable.ts";
import { chatTexts } from "../texts/chat.ts";
import { type ChatSession, printLine } from "./chat-session.ts";

const texts = chatTexts.commands;
const listed = 20;

/**
 * `/chats` lists the newest conversations, `/chats N` returns one of them.
 *
 * @returns the conversation to continue, or `undefined` if none was chosen
 */
export async function chatsCommand(
  session: ChatSession,
  number: string | undefined,
): Promise<ConversationView | undefined> {
  const { client, style, conversation } = session;
  const { data } = await client.conversations({ limit: listed, state: "open" });
  const chats = data.filter((entry) => entry.object === "conversation");
  if (number !== undefined) {
    const chosen = chats[Number(number) - 1];
    if (chosen === undefined) printLine(session, texts.unknownChat(printableLine(number)));
    return chosen;
  }
  if (chats.length === 0) printLine(session, texts.noChats);
  const width = String(chats.length).length;
  for (const [index, chat] of chats.entries()) {
    const mark = chat.id === conversation?.id ? style.green("*") : " ";
    const place = String(index + 1).padStart(width);
    const title = printableLine(chat.title || texts.untitled);
    printLine(session, `${mark} ${place}  ${title}  ${style.dim(timeText(chat.updated_at))}`);
  }
  return undefined;
}

function timeText(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
