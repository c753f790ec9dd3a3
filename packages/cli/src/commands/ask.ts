import {
  CommandFailure,
  type Invocation,
  listOption,
  printJson,
  textOption,
} from "../arguments/command.ts";
import { createSession, findConversation } from "../chat/chat-session.ts";
import { askOnce, readTurn } from "../chat/single-turn.ts";
import { createNodeTerminal } from "../terminal/node-terminal.ts";
import { onlyNotices } from "../terminal/only-notices.ts";
import { styleFor } from "../terminal/style.ts";
import { chatTexts } from "../texts/chat.ts";
import { openConnection } from "./shared/open-connection.ts";
import { readPipedText } from "./shared/read-piped-text.ts";
import { readResume } from "./shared/read-resume.ts";

const texts = chatTexts.ask;

/** Asks one question, prints the answer, and ends. */
export async function askQuestion({ values, positionals }: Invocation): Promise<number> {
  const resume = readResume(values);
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
    const session = createSession({
      client,
      terminal,
      style: styleFor(output.isTTY && !asJson ? output : error),
      model: textOption(values, "model") ?? (await client.info()).model.id,
      conversation: await findConversation(client, resume),
      yes: values["yes"] === true,
    });
    const run = await askOnce(session, { text, files: listOption(values, "file") });
    const turn = asJson && run !== undefined ? await readTurn(session, run) : undefined;
    if (turn !== undefined) printJson(turn);
    return session.failed ? 1 : 0;
  } finally {
    terminal.close();
    await close();
  }
}
