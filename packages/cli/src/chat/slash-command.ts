import type { GrantView } from "@capstan/contract";
import { didYouMean } from "../arguments/parse-options.ts";
import { printable, printableLine } from "../terminal/printable.ts";
import { formatCount } from "../terminal/style.ts";
import { chatTexts } from "../texts/chat.ts";
import { type ChatSession, printLine } from "./chat-session.ts";

const texts = chatTexts.commands;

/** A line that the chat handles itself. All other lines are messages to the model, including `/Tool {…}` for the offline model. */
export type SlashCommand =
  | { readonly type: "quit" | "new" | "help" }
  | { readonly type: "chats"; readonly number: string | undefined }
  | { readonly type: "model"; readonly id: string | undefined }
  | { readonly type: "tools"; readonly name: string | undefined }
  | { readonly type: "vars"; readonly name: string | undefined }
  | { readonly type: "grants"; readonly revoke: string | undefined }
  /** A word that is neither a command nor a tool of the offline model. */
  | { readonly type: "unknown"; readonly word: string }
  | { readonly type: "message"; readonly text: string };

/** The words of all commands. */
export const slashCommands = [
  "new",
  "chats",
  "model",
  "tools",
  "vars",
  "grants",
  "help",
  "quit",
] as const;

/** Tools begin with an upper-case letter, contain other characters, or have arguments in braces. */
const unknownCommand = /^\/([a-z]+)(?:\s+(?!\{).*)?\s*$/s;

/** @example readSlashCommand("/model openai/gpt-5.5") // { type: "model", id: "openai/gpt-5.5" } */
export function readSlashCommand(line: string): SlashCommand {
  const [, word, rest] =
    /^\/(quit|new|help|chats|model|tools|vars|grants)(?:\s+(.*))?$/s.exec(line.trim()) ?? [];
  const argument = rest === undefined || rest.trim() === "" ? undefined : rest.trim();
  switch (word) {
    case "chats":
      return { type: "chats", number: argument };
    case "model":
      return { type: "model", id: argument };
    case "tools":
      return { type: "tools", name: argument };
    case "vars":
      return { type: "vars", name: argument };
    case "grants":
      return { type: "grants", revoke: argument };
    case "quit":
    case "new":
    case "help":
      // `/new ideas for dinner` is a message, not a command with operands.
      return argument === undefined ? { type: word } : { type: "message", text: line };
    default: {
      const unknown = unknownCommand.exec(line)?.[1];
      return unknown === undefined
        ? { type: "message", text: line }
        : { type: "unknown", word: unknown };
    }
  }
}

/** Returns the message for an unknown command, with the most similar one. */
export function unknownCommandText(word: string): string {
  return texts.unknown(
    word,
    didYouMean(
      `/${word}`,
      slashCommands.map((known) => `/${known}`),
    ),
  );
}

/** `/model` lists the models, `/model ID` selects the model for the next messages. */
export async function modelCommand(session: ChatSession, id: string | undefined): Promise<void> {
  const { client, style } = session;
  const models = await client.models();
  const ids = models.map((model) => model.id);
  if (id === undefined) {
    const width = Math.max(0, ...ids.map((one) => one.length));
    for (const { id: one, reason } of models) {
      const mark = one === session.model ? style.green("*") : " ";
      printLine(
        session,
        `${mark} ${printableLine(one).padEnd(width)}  ${style.dim(printableLine(reason))}`,
      );
    }
    return;
  }
  // Accept an unlisted id with a provider, because providers may know more models than they list.
  // The next turn reports an unknown model.
  if (!ids.includes(id) && !id.includes("/")) {
    return printLine(session, texts.unknownModel(id, didYouMean(id, ids)));
  }
  session.model = id;
  printLine(session, texts.modelChosen(id));
}

/** `/vars` lists the conversation's variables, `/vars NAME` shows one in full. */
export async function variablesCommand(
  session: ChatSession,
  name: string | undefined,
): Promise<void> {
  const { client, terminal, style, conversation } = session;
  const variables = conversation ? await client.variables(conversation.id) : [];
  if (!conversation || variables.length === 0) {
    return printLine(session, texts.noVariables);
  }
  if (name !== undefined) {
    const { text } = await client.variable(conversation.id, name);
    return terminal.write([{ channel: "answer", text: `${printable(text)}\n` }]);
  }
  for (const variable of variables) {
    if (variable.object === "corrupt") {
      printLine(session, `${printableLine(variable.id)}  ${style.dim(variable.error.message)}`);
      continue;
    }
    const about = [
      variable.type,
      formatCount(variable.length, "character"),
      ...(variable.desc === undefined ? [] : [printableLine(variable.desc)]),
    ];
    printLine(session, `${printableLine(variable.name)}  ${style.dim(about.join(" · "))}`);
  }
}

/** `/grants` lists the answers that cover more than one call, `/grants N` revokes one. */
export async function grantsCommand(
  session: ChatSession,
  revoke: string | undefined,
): Promise<void> {
  const { client, style, conversation } = session;
  const grants = await client.grants(conversation?.id);
  if (grants.length === 0) return printLine(session, texts.noGrants);
  if (revoke !== undefined) {
    const grant = grants[Number(revoke) - 1];
    if (grant === undefined) return printLine(session, texts.unknownGrant(printableLine(revoke)));
    await client.revokeGrant(grant.id);
    const title = grant.object === "corrupt" ? grant.id : grant.title;
    return printLine(session, texts.grantRevoked(printableLine(title)));
  }
  for (const [index, grant] of grants.entries()) {
    if (grant.object === "corrupt") {
      printLine(session, `${index + 1}  ${texts.corruptGrant}  ${style.dim(grant.error.message)}`);
      continue;
    }
    const verdict = grant.verdict === "allow" ? texts.allowed : texts.refused;
    printLine(
      session,
      `${index + 1}  ${verdict}: ${printableLine(grant.title)}  ${style.dim(aboutGrant(grant))}`,
    );
  }
}

function aboutGrant({ scope, grantedBy, createdAt, expiresAt }: GrantView): string {
  const where = scope === "always" ? texts.everySession : texts.thisSession;
  const end = expiresAt === undefined ? texts.untilRevoked : texts.until(timeText(expiresAt));
  return [where, texts.by(printableLine(grantedBy)), texts.since(timeText(createdAt)), end].join(
    " · ",
  );
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
