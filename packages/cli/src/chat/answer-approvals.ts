import type { Client } from "@capstan/client";
import type { ExecutionAnswerBody, ExecutionApprovalView } from "@capstan/contract";
import { printable, printableJson, printableLine } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { notice } from "../terminal/terminal.ts";
import {
  type Asked,
  type AskOptions,
  beginningOf,
  indent,
  noUserMessage,
  readAnswers,
  send,
} from "./ask.ts";

interface AnswerOptions extends AskOptions {
  readonly question: Question;
  readonly client: Pick<Client, "answerApproval">;
}

/** Gets one question answered. */
export async function answerApproval(options: AnswerOptions): Promise<Asked> {
  const { question, mode, terminal, style } = options;
  const { toolName } = question;
  if (mode === "refuse") {
    const text = `${toolName} needs a person's word; refused, since nobody can be asked here (--yes allows).`;
    terminal.write(notice(style.yellow(text)));
    const body = { decision: "refuse", reason: noUserMessage, by: "system" } as const;
    return (await answer(options, body)) ?? "gone";
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(`${toolName} is allowed once, by --yes.`)));
    return (await answer(options, { decision: "allow", scope: "once" })) ?? "gone";
  }
  const show = (whole: boolean) =>
    terminal.write([{ channel: "notice", text: questionText(question, style, whole) }]);
  show(false);
  const prompt = question.grant === undefined ? "y/n/e > " : "y/s/a/n/e > ";
  return readAnswers(options, prompt, async (line) => {
    const read = readQuestionAnswer(line);
    switch (read.type) {
      case "unclear":
        terminal.write(notice("Answer y, s, a, n or e."));
        return undefined;
      case "view":
        show(true);
        return undefined;
      case "edit": {
        const body = await edit(options);
        return body && answer(options, body);
      }
      case "answer":
        return answer(options, read.body);
    }
  });
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

function answer(
  options: AnswerOptions,
  body: ExecutionAnswerBody,
): Promise<"answered" | "gone" | undefined> {
  const { client, question, terminal, style, signal } = options;
  return send(options, async () => {
    const { status } = await client.answerApproval(question.id, body, signal);
    if (status !== (body.decision === "allow" ? "allowed" : "refused"))
      terminal.write(notice(style.yellow(`This question is ${status} already.`)));
    return "answered" as const;
  });
}

/** What a question is asked about: an approval as the run's events or the list give it. */
export type Question = Omit<
  ExecutionApprovalView,
  "object" | "kind" | "run" | "conversation" | "status"
>;

/** The question as text: what wants to run, with what, and why it asks. */
export function questionText(question: Question, style: Style, whole = false): string {
  const args = printableJson(question.args);
  const { shown, left } = whole ? { shown: args, left: 0 } : beginningOf(args);
  return [
    style.yellow(
      style.bold(`? ${printableLine(question.groupTitle)}: ${printableLine(question.toolName)}`),
    ),
    indent(style.dim(printable(question.description).split("\n", 1)[0] ?? "")),
    indent(shown),
    ...(left > 0 ? [indent(style.yellow(`… ${left} more characters; v shows them all`))] : []),
    indent(style.dim(printableLine(question.reason))),
    indent(question.remember ? "y  this call, and the same again in this session" : "y  this call"),
    ...(question.grant === undefined
      ? []
      : [
          indent(`s  for this session: ${printableLine(question.grant.title)}; s 1h for an hour`),
          indent("a  the same in every session; a 1h for an hour"),
        ]),
    indent(`n  refuse; what follows is the reason: n wrong folder`),
    indent(`e  change the arguments`),
    "",
  ].join("\n");
}

export type QuestionAnswer =
  | { readonly type: "answer"; readonly body: ExecutionAnswerBody }
  | { readonly type: "edit" }
  | { readonly type: "view" }
  | { readonly type: "unclear" };

/** What a typed line answers. Nothing that is unclear allows anything. */
export function readQuestionAnswer(line: string, now: number = Date.now()): QuestionAnswer {
  const [word = "", ...rest] = line.trim().split(/\s+/);
  const reason = rest.join(" ");
  switch (word.toLowerCase()) {
    case "n":
    case "no":
      return { type: "answer", body: { decision: "refuse", ...(reason !== "" && { reason }) } };
    case "y":
    case "yes":
      return reason === ""
        ? { type: "answer", body: { decision: "allow", scope: "once" } }
        : unclear;
    case "s":
      return widerAnswer("session", reason, now);
    case "a":
      return widerAnswer("always", reason, now);
    case "e":
      return reason === "" ? { type: "edit" } : unclear;
    case "v":
      return reason === "" ? { type: "view" } : unclear;
    default:
      return unclear;
  }
}

function widerAnswer(scope: "session" | "always", until: string, now: number): QuestionAnswer {
  const [, hours] = /^(\d{1,3})h$/.exec(until) ?? [];
  if (until !== "" && (hours === undefined || Number(hours) === 0)) return unclear;
  const end = hours === undefined ? {} : { expiresAt: now + Number(hours) * 60 * 60 * 1_000 };
  return { type: "answer", body: { decision: "allow", scope, ...end } };
}

const unclear: QuestionAnswer = { type: "unclear" };

export type EditedArguments =
  | { readonly status: "valid"; readonly args: { readonly [key: string]: unknown } }
  | { readonly status: "invalid"; readonly message: string };

/** Arguments as a person typed them: a JSON object, or what is wrong with it. */
export function readEditedArguments(text: string): EditedArguments {
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) {
      return { status: "valid", args: args as { readonly [key: string]: unknown } };
    }
    return { status: "invalid", message: 'Arguments are a JSON object such as {"path": "."}.' };
  } catch (error) {
    return { status: "invalid", message: `This is not JSON: ${(error as Error).message}` };
  }
}
