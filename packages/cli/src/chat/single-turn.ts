import type { Usage } from "@capstan/core";
import type { CallView, RunWithEvents } from "@capstan/contract";
import type { ChatSession } from "./chat-session.ts";
import { handleInterrupts, sendMessage } from "./send-message.ts";
import { attachFiles } from "./attach-files.ts";

/** The output of `capstan ask --json`. */
export interface SingleTurn {
  readonly conversation: string;
  readonly run: string;
  readonly model: string;
  readonly status: RunWithEvents["status"];
  /** The text of the model, without its reasoning. */
  readonly answer: string;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    /** The resolved arguments, or the text of the model if they are invalid. */
    readonly arguments: unknown;
    readonly status: string;
  }[];
  readonly usage: Usage | null;
  readonly error: RunWithEvents["error"];
}

/**
 * Asks one question, and shows the answer in the terminal of the session, which is then closed.
 *
 * @param question.files paths of the files to attach
 * @returns the id of the run, or `undefined` if none began
 */
export async function askOnce(
  session: ChatSession,
  question: { readonly text: string; readonly files: readonly string[] },
): Promise<string | undefined> {
  const offInterrupt = handleInterrupts(session);
  try {
    const { client, leave } = session;
    const files = await attachFiles(question.files, { client, signal: leave.signal });
    return await sendMessage(session, question.text, files);
  } finally {
    offInterrupt();
    session.terminal.close();
  }
}

/** Reads a turn of the session's conversation. Returns `undefined` if it does not exist any more. */
export async function readTurn(
  { client, conversation }: ChatSession,
  run: string,
): Promise<SingleTurn | undefined> {
  if (conversation === undefined) return undefined;
  const [runs, calls] = await Promise.all([client.runs(conversation.id), client.calls(run)]);
  const turn = runs.find(({ id }) => id === run);
  if (turn === undefined) return undefined;
  return {
    conversation: conversation.id,
    run,
    model: turn.model,
    status: turn.status,
    answer: answerOf(turn, calls),
    calls: calls.map(({ id, name, args, argumentsText, status }) => ({
      id,
      name,
      arguments: args ?? argumentsText,
      status,
    })),
    usage: turn.usage,
    error: turn.error,
  };
}

/** Joins the texts of the model and of final tools. */
function answerOf({ events }: RunWithEvents, calls: readonly CallView[]): string {
  const kinds = new Map<string, string>();
  const texts: string[] = [];
  for (const event of events) {
    if (event.type === "item.start") kinds.set(event.itemId, event.kind);
    if (event.type === "item.end" && kinds.get(event.itemId) === "text") texts.push(event.text);
  }
  const ofTools = calls.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  return [...texts, ...ofTools].join("\n\n");
}
