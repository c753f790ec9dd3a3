import { ApiError, type Client, readWholeVariables } from "@capstan/client";
import type { ExecutionAnswerBody, ExecutionApprovalView } from "@capstan/contract";
import { unseenChars, visibleArguments, visibleJson } from "@capstan/core/text";
import type { Style } from "../terminal/style.ts";
import { notice } from "../terminal/terminal.ts";
import {
  argumentsBlock,
  type QuestionView,
  type ShownText,
  visibleName,
} from "../terminal/visible.ts";
import { chatTexts } from "../texts/chat.ts";
import { type Asked, type AskOptions, indent, readAnswers, send } from "./ask.ts";

const texts = chatTexts.approval;

interface AnswerOptions extends AskOptions {
  readonly question: Question;
  readonly client: Pick<Client, "answerApproval" | "approvalVariable">;
}

/** Asks the user about one call, until the call is allowed, denied, or answered elsewhere. */
export async function answerApproval(options: AnswerOptions): Promise<Asked> {
  const { mode, terminal, style } = options;
  let { question } = options;
  const toolName = visibleName(question.toolName, style);
  if (mode === "refuse") {
    terminal.write(notice(style.yellow(texts.noTerminal(toolName))));
    const body = { decision: "refuse", reason: texts.noTerminalReason, by: "system" } as const;
    return (await answer(options, body)) ?? "gone";
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(texts.allowedByYes(toolName))));
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
        terminal.write(notice(texts.unclear));
        return undefined;
      case "view": {
        const whole = await wholeQuestion(options, question);
        if (whole === undefined) return undefined;
        question = whole;
        show(true);
        return undefined;
      }
      case "edit": {
        if (unseenChars({ variables: question.variables }) > 0) {
          terminal.write(notice(texts.notShown));
          return undefined;
        }
        const body = await edit({ ...options, question });
        return body && answer(options, body);
      }
      case "answer":
        if (isCut && read.body.decision === "allow") {
          terminal.write(notice(texts.notShown));
          return undefined;
        }
        return (await confirmed(options, read.body)) ? answer(options, read.body) : undefined;
    }
  });
}

/** Returns a request with the whole variables of its call, or `undefined` if unreadable. */
async function wholeQuestion(
  { client, terminal, style, signal }: AnswerOptions,
  question: Question,
): Promise<Question | undefined> {
  if (unseenChars({ variables: question.variables }) === 0) return question;
  try {
    return { ...question, variables: await readWholeVariables(client, question, signal) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    terminal.write(notice(style.red(error.message)));
    return undefined;
  }
}

/** Asks the user to confirm an answer that covers more than one call. Returns true if it needs no confirmation. */
async function confirmed(
  { question, terminal, style, signal }: AnswerOptions,
  body: ExecutionAnswerBody,
): Promise<boolean> {
  const text = wideningText(question, body, style);
  if (text === undefined) return true;
  terminal.write([{ channel: "notice", text }]);
  const read = await terminal.readAnswer("yes/no > ", { signal });
  if (read.type === "line" && read.text.trim().toLowerCase() === "yes") return true;
  terminal.write(notice(texts.notAllowed));
  return false;
}

/**
 * Asks the user to edit the arguments, and to confirm them. Returns `undefined` if they are invalid
 * or not confirmed.
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
  const word = await terminal.readAnswer(texts.confirmEdit, { signal });
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
      terminal.write(notice(style.yellow(texts.alreadyAnswered(status))));
    return "answered" as const;
  });
}

/** An approval request, from the run's events or from the list. */
export type Question = Omit<
  ExecutionApprovalView,
  "object" | "kind" | "run" | "conversation" | "status"
>;

/** Returns the approval request as text: the call, its arguments, the reason, and the answers. */
export function questionText(question: Question, view: QuestionView): ShownText {
  const { style } = view;
  const name = (text: string) => visibleName(text, style);
  const args = argumentsBlock(visibleArguments(question.args, question), view);
  const once = question.remember ? texts.onceAndEqual : texts.once;
  const lines = [
    style.yellow(style.bold(`? ${name(question.groupTitle)}: ${name(question.toolName)}`)),
    indent(style.dim(name(question.description.split("\n", 1)[0] ?? ""))),
    args.text,
    indent(style.dim(name(question.reason))),
    indent(once),
    ...(question.grant === undefined
      ? []
      : [indent(texts.session(name(question.grant.title))), indent(texts.always)]),
    indent(texts.refuse),
    indent(texts.edit),
    "",
  ];
  return { text: lines.join("\n"), isCut: args.isCut || unseenChars(question) > 0 };
}

/** Returns the call with its edited arguments as text. */
function editedText({ args, variables }: Question, view: QuestionView): string {
  return `  ${texts.edited}\n${argumentsBlock(visibleArguments(args, { variables }), view).text}\n`;
}

/**
 * Returns the text to confirm, with the calls that a wider approval covers, or `undefined` if no
 * confirmation is needed.
 */
function wideningText(
  { readOnly, toolName, groupTitle, grant }: Question,
  { decision, scope = "once", expiresAt }: ExecutionAnswerBody,
  style: Style,
): string | undefined {
  if (decision === "refuse" || scope === "once" || readOnly === true) return undefined;
  const { wider } = texts;
  const name = (text: string) => visibleName(text, style);
  const until = expiresAt === undefined ? wider.untilRevoked : new Date(expiresAt).toLocaleString();
  return [
    style.yellow(style.bold(`  ${wider.title}`)),
    `  Tool   ${name(toolName)} (${name(groupTitle)})`,
    `  Calls  ${name(grant?.title ?? "")}`,
    ...(grant?.when === undefined ? [] : [`         ${name(JSON.stringify(grant.when))}`]),
    `  Where  ${scope === "session" ? wider.inSession : wider.inEverySession}`,
    `  Until  ${until}`,
    `  ${wider.confirm}`,
    "",
  ].join("\n");
}

/** Adds the covered calls to a wider approval, as the API requires. */
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

/** Parses a typed line as an answer. An unclear line never allows a call. */
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

/** Parses typed arguments. Returns the JSON object, or the problem with the text. */
export function readEditedArguments(text: string): EditedArguments {
  try {
    const args: unknown = JSON.parse(text);
    if (typeof args === "object" && args !== null && !Array.isArray(args)) {
      return { status: "valid", args: args as Question["args"] };
    }
    return { status: "invalid", message: texts.invalidArguments };
  } catch (error) {
    return { status: "invalid", message: texts.notJson((error as Error).message) };
  }
}
