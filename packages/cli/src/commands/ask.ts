import {
  CommandFailure,
  type Invocation,
  listOption,
  printJson,
  textOption,
} from "../arguments/command.ts";
import { runSingleTurn } from "../chat/single-turn.ts";
import type { ChatSession } from "../chat/chat-session.ts";
import { createNodeTerminal } from "../terminal/node-terminal.ts";
import { onlyNotices } from "../terminal/only-notices.ts";
import { styleFor } from "../terminal/style.ts";
import { chatTexts } from "../texts/chat.ts";
import { openConnection } from "./shared/open-connection.ts";
import { readPipedText } from "./shared/read-piped-text.ts";

const texts = chatTexts.ask;

/** Asks one question, prints the answer, and ends. */
export async function askQuestion({ values, positionals }: Invocation): Promise<number> {
  const { stdin: input, stdout: output, stderr: error } = process;
  const piped = await readPipedText(input);
  const question = positionals.join(" ").trim();
  const text = [question, piped].filter((part) => part !== "").join("\n\n");
  if (text === "") throw new CommandFailure(texts.noQuestion, 2);
  const asJson = values["json"] === true;

  const { client, close } = await openConnection({ ...values, model: undefined });
  const own = createNodeTerminal({ input, output, error });
  const terminal = asJson ? onlyNotices(own, error) : own;
  try {
    const id = textOption(values, "conversation");
    const conversation =
      values["continue"] === true
        ? await client.latestConversation()
        : id === undefined
          ? undefined
          : await client.conversation(id);
    const chosen = textOption(values, "model");
    const session: ChatSession = {
      client,
      terminal,
      style: styleFor(output.isTTY && !asJson ? output : error),
      mode: values["yes"] === true ? "allow" : terminal.interactive ? "ask" : "refuse",
      leave: new AbortController(),
      model: chosen ?? (await client.info()).model.id,
      conversation,
      running: undefined,
      wantsToLeave: false,
      failed: false,
    };
    const turn = await runSingleTurn(session, { text, files: listOption(values, "file") });
    if (asJson && turn !== undefined) printJson(turn);
    return session.failed ? 1 : 0;
  } finally {
    terminal.close();
    await close();
  }
}
