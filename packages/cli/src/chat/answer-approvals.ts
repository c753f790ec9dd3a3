import type { ExecutionAnswerBody } from "@capstan/contract";
import { ApiError, type Client } from "@capstan/client";
import {
  type Question,
  questionText,
  readEditedArguments,
  readQuestionAnswer,
} from "./approval-request.ts";
import type { Style } from "../terminal/style.ts";
import { notice, type Terminal } from "../terminal/terminal.ts";

/** Who answers: the person at the terminal, or a rule where nobody can be asked. */
export type ApprovalMode = "ask" | "refuse" | "allow";

export const noUserMessage =
  "Nobody could be asked: this chat reads its messages from a pipe. The person can run it in a terminal, or with --yes";

interface AnswerOptions {
  readonly question: Question;
  readonly mode: ApprovalMode;
  readonly client: Pick<Client, "answerApproval">;
  readonly terminal: Terminal;
  readonly style: Style;
  /** Aborts when the question is answered elsewhere, or its run ends. */
  readonly signal: AbortSignal;
}

/**
 * Gets one question answered.
 *
 * @returns `left` where the person went away: the question stays open
 */
export async function answerApproval(
  options: AnswerOptions,
): Promise<"answered" | "gone" | "left"> {
  const { question, mode, terminal, style, signal } = options;
  if (mode === "refuse") {
    terminal.write(
      notice(
        style.yellow(
          `${question.toolName} needs a person's word; refused, since nobody can be asked here (--yes allows).`,
        ),
      ),
    );
    return (
      (await send(options, { decision: "refuse", reason: noUserMessage, by: "system" })) ?? "gone"
    );
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(`${question.toolName} is allowed once, by --yes.`)));
    return (await send(options, { decision: "allow", scope: "once" })) ?? "gone";
  }
  let whole = false;
  for (let shown = false; ;) {
    if (!shown) terminal.write([{ channel: "notice", text: questionText(question, style, whole) }]);
    shown = true;
    const read = await terminal.readAnswer(
      question.grant === undefined ? "y/n/e > " : "y/s/a/n/e > ",
      { signal },
    );
    if (read.type !== "line") return read.type === "end" ? "left" : "gone";
    const answer = readQuestionAnswer(read.text);
    if (answer.type === "unclear") {
      terminal.write(notice("Answer y, s, a, n or e."));
    } else if (answer.type === "view") {
      whole = true;
      shown = false;
    } else {
      const body = answer.type === "edit" ? await edit(options) : answer.body;
      const done = body && (await send(options, body));
      if (done) return done;
    }
  }
}

/** Arguments as the person wants them; undefined where what they typed is none. */
async function edit({
  question,
  terminal,
  style,
  signal,
}: AnswerOptions): Promise<ExecutionAnswerBody | undefined> {
  const prefill = JSON.stringify(question.args);
  const read = await terminal.readAnswer("arguments > ", { signal, prefill });
  if (read.type !== "line") return undefined;
  const edited = readEditedArguments(read.text);
  if (edited.status === "valid")
    return { decision: "allow", scope: "once", arguments: edited.args };
  terminal.write(notice(style.red(edited.message)));
  return undefined;
}

/** Undefined where the server did not take the answer and the person may give another. */
async function send(
  options: AnswerOptions,
  body: ExecutionAnswerBody,
): Promise<"answered" | "gone" | undefined> {
  const { client, question, terminal, style, signal } = options;
  try {
    const view = await client.answerApproval(question.id, body, signal);
    const wanted = body.decision === "allow" ? "allowed" : "refused";
    if (view.status !== wanted) {
      terminal.write(notice(style.yellow(`This question is ${view.status} already.`)));
    }
    return "answered";
  } catch (error) {
    if (signal.aborted) return "gone";
    if (!(error instanceof ApiError)) throw error;
    terminal.write(notice(style.red(error.message)));
    // Gone, or answered: nothing that is typed here would change it.
    return error.status === 404 || error.status === 409 || error.status === 0 ? "gone" : undefined;
  }
}
