import { didYouMean } from "../arguments/did-you-mean.ts";
import { type ChatSession, printLine } from "./chat-session.ts";
import { printableLine } from "../terminal/printable.ts";

/** `/model` lists the models, `/model ID` chooses the one for the messages to come. */
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
  // A provider may know more models than it lists; if it does not, the next turn says so.
  if (!ids.includes(id) && !id.includes("/")) {
    return printLine(session, `There is no model ${id}.${didYouMean(id, ids)} /model lists them.`);
  }
  session.model = id;
  printLine(session, `The next message goes to ${id}.`);
}
