import type { Client } from "@capstan/client";
import type { ExecutionAnswerBody, ExecutionApprovalView } from "@capstan/contract";
import { visibleArguments, visibleJson } from "@capstan/core/text";
import type { Style } from "../terminal/style.ts";
import { notice } from "../terminal/terminal.ts";
import {
  argumentsBlock,
  type QuestionView,
  type ShownText,
  visibleName,
} from "../terminal/visible.ts";
import { type Asked, type AskOptions, indent, noUserMessage, readAnswers, send } from "./ask.ts";

interface AnswerOptions extends AskOptions {
  readonly question: Question;
  readonly client: Pick<Client, "answerApproval">;
}

/** Gets one question answered. */
export async function answerApproval(options: AnswerOptions): Promise<Asked> {
  const { question, mode, terminal, style } = options;
  const toolName = visibleName(question.toolName, style);
  if (mode === "refuse") {
    const text = `${toolName} needs approval. It was denied, because there is no terminal to ask (--yes allows).`;
    terminal.write(notice(style.yellow(text)));
    const body = { decision: "refuse", reason: noUserMessage, by: "system" } as const;
    return (await answer(options, body)) ?? "gone";
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(`${toolName} is allowed once, by --yes.`)));
    return (await answer(options, { decision: "allow", scope: "once" })) ?? "gone";
  }
  let isCut = false;
  const show = (whole: boolean) => {
    const shown = questionText(question, { style, columns: terminal.columns, whole });
    ({ isCut } = shown);
    terminal.write([{ channel: "notice", text: shown.text }]);
  };
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
        if (isCut && read.body.decision === "allow") {
          terminal.write(notice("Not all of it was shown. Type v to see it, then answer."));
          return undefined;
        }
        return (await confirmed(options, read.body)) ? answer(options, read.body) : undefined;
    }
  });
}

/** Asks for the second step of an answer for more than one call; true if it needs none. */
async function confirmed(
  { question, terminal, style, signal }: AnswerOptions,
  body: ExecutionAnswerBody,
): Promise<boolean> {
  const text = wideningText(question, body, style);
  if (text === undefined) return true;
  terminal.write([{ channel: "notice", text }]);
  const read = await terminal.readAnswer("yes/no > ", { signal });
  if (read.type === "line" && read.text.trim().toLowerCase() === "yes") return true;
  terminal.write(notice("Nothing was allowed."));
  return false;
}

/**
 * Returns the arguments as the user edited them, shown before they run. Undefined if the call is
 * not to run.
 */
async function edit({
  question,
  terminal,
  style,
  signal,
}: AnswerOptions): Promise<ExecutionAnswerBody | undefined> {
  const prefill = visibleJson(question.args, 0);
  const read = await terminal.readAnswer("arguments > ", { signal, prefill });
  if (read.type !== "line") return undefined;
  const edited = readEditedArguments(read.text);
  if (edited.status === "invalid") {
    terminal.write(notice(style.red(edited.message)));
    return undefined;
  }
  const view = { style, columns: terminal.columns, whole: true };
  terminal.write([
    { channel: "notice", text: editedText({ ...question, args: edited.args }, view) },
  ]);
  const word = await terminal.readAnswer("y runs it as it is now > ", { signal });
  if (word.type !== "line" || !/^y(es)?$/i.test(word.text.trim())) return undefined;
  return { decision: "allow", scope: "once", arguments: edited.args };
}

function answer(
  options: AnswerOptions,
  body: ExecutionAnswerBody,
): Promise<"answered" | "gone" | undefined> {
  const { client, question, terminal, style, signal } = options;
  return send(options, async () => {
    const { status } = await client.answerApproval(question.id, withCover(body, question), signal);
    if (status !== (body.decision === "allow" ? "allowed" : "refused"))
      terminal.write(notice(style.yellow(`This question is ${status} already.`)));
    return "answered" as const;
  });
}

/** An approval, from the run's events or from the list. */
export type Question = Omit<
  ExecutionApprovalView,
  "object" | "kind" | "run" | "conversation" | "status"
>;

/** The question as text: what wants to run, with what, and why it asks. */
export function questionText(question: Question, view: QuestionView): ShownText {
  const { style } = view;
  const name = (text: string) => visibleName(text, style);
  const args = argumentsBlock(visibleArguments(question.args, question.variables), view);
  const once = question.remember
    ? "y  this call, and the same again in this session"
    : "y  this call";
  const lines = [
    style.yellow(style.bold(`? ${name(question.groupTitle)}: ${name(question.toolName)}`)),
    indent(style.dim(name(question.description.split("\n", 1)[0] ?? ""))),
    args.text,
    indent(style.dim(name(question.reason))),
    indent(once),
    ...(question.grant === undefined
      ? []
      : [
          indent(`s  for this session: ${name(question.grant.title)}; s 1h for an hour`),
          indent("a  the same in every session; a 1h for an hour"),
        ]),
    indent(`n  refuse; what follows is the reason: n wrong folder`),
    indent(`e  change the arguments`),
    "",
  ];
  return { text: lines.join("\n"), isCut: args.isCut };
}

/** Changed arguments as they would run. */
function editedText({ args, variables }: Question, view: QuestionView): string {
  return `  As it would run:\n${argumentsBlock(visibleArguments(args, variables), view).text}\n`;
}

/**
 * Returns the calls that a wider answer covers, to be confirmed, or `undefined` if the answer needs
 * no second step.
 */
function wideningText(
  { readOnly, toolName, groupTitle, grant }: Question,
  { decision, scope = "once", expiresAt }: ExecutionAnswerBody,
  style: Style,
): string | undefined {
  if (decision === "refuse" || scope === "once" || readOnly === true) return undefined;
  const name = (text: string) => visibleName(text, style);
  const until = expiresAt === undefined ? "you take it back" : new Date(expiresAt).toLocaleString();
  return [
    style.yellow(style.bold("  This allows more than this call:")),
    `  Tool   ${name(toolName)} (${name(groupTitle)})`,
    `  Calls  ${name(grant?.title ?? "")}`,
    ...(grant?.when === undefined ? [] : [`         ${name(JSON.stringify(grant.when))}`]),
    `  Where  ${scope === "session" ? "in this session" : "in every session"}`,
    `  Until  ${until}`,
    "  It runs without asking you. Type yes to allow all of these.",
    "",
  ].join("\n");
}

/** A wider answer says itself which calls it is for. */
function withCover(body: ExecutionAnswerBody, { grant }: Question): ExecutionAnswerBody {
  if (body.decision === "refuse" || (body.scope ?? "once") === "once") return body;
  const isNarrow = grant?.key !== undefined || grant?.when !== undefined;
  return { ...body, covers: { type: isNarrow ? "offer" : "tool" } };
}

export type QuestionAnswer =
  | { readonly type: "answer"; readonly body: ExecutionAnswerBody }
  | { readonly type: "edit" }
  | { readonly type: "view" }
  | { readonly type: "unclear" };

/** Reads a typed line as an answer. An unclear line never allows a call. */
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
  | { readonly status: "valid"; readonly args: Question["args"] }
  | { readonly status: "invalid"; readonly message: string };

/** Reads typed arguments: a JSON object, or the problem with it. */
export function readEditedArguments(text: string): EditedArguments {
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) {
      return { status: "valid", args: args as Question["args"] };
    }
    return { status: "invalid", message: 'Arguments are a JSON object such as {"path": "."}.' };
  } catch (error) {
    return { status: "invalid", message: `This is not JSON: ${(error as Error).message}` };
  }
}
