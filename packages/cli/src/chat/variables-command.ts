import { type ChatSession, printLine } from "./chat-session.ts";
import { formatCount } from "../terminal/format-numbers.ts";
import { printable, printableLine } from "../terminal/printable.ts";

/** `/vars` lists the conversation's variables, `/vars NAME` shows one in full. */
export async function variablesCommand(
  session: ChatSession,
  name: string | undefined,
): Promise<void> {
  const { client, terminal, style, conversation } = session;
  const variables = conversation ? await client.variables(conversation.id) : [];
  if (!conversation || variables.length === 0) {
    return printLine(session, "This conversation has no variables yet.");
  }
  if (name !== undefined) {
    const { text } = await client.variable(conversation.id, name);
    return terminal.write([{ channel: "answer", text: `${printable(text)}\n` }]);
  }
  for (const variable of variables) {
    const about = [
      variable.type,
      formatCount(variable.length, "character"),
      ...(variable.desc === undefined ? [] : [printableLine(variable.desc)]),
    ];
    printLine(session, `${printableLine(variable.name)}  ${style.dim(about.join(" · "))}`);
  }
}
