import type { Client } from "@capstan/client";
import type { ResultApprovalView, ReviewAnswerBody } from "@capstan/contract";
import { reviewOutcomes } from "@capstan/core/host";
import { visibleArguments, visibleParts } from "@capstan/core/text";
import { notice } from "../terminal/terminal.ts";
import {
  argumentsBlock,
  type QuestionView,
  type ShownText,
  visibleBlock,
  visibleName,
} from "../terminal/visible.ts";
import { chatTexts } from "../texts/chat.ts";
import { type Asked, type AskOptions, indent, readAnswers, send } from "./ask.ts";

const texts = chatTexts.review;

interface ReviewOptions extends AskOptions {
  /** The approval's id. */
  readonly id: string;
  readonly toolName: string;
  readonly client: Pick<Client, "answerApproval" | "review" | "previewReview">;
}

/** Characters of a result per request. */
const pageChars = 200_000;

/** Asks the user to review a result: to release, change or withhold it. */
export async function answerReview(options: ReviewOptions): Promise<Asked> {
  const { mode, terminal, style } = options;
  const toolName = visibleName(options.toolName, style);
  if (mode === "refuse") {
    terminal.write(notice(style.yellow(texts.noTerminal(toolName))));
    const body = {
      decision: "withhold",
      reason: chatTexts.approval.noTerminalReason,
      by: "system",
    } as const;
    return (await answer(options, body)) ?? "gone";
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(texts.releasedByYes(toolName))));
    return (await answer(options, { decision: "release" })) ?? "gone";
  }
  return (await send(options, async () => ask(options))) ?? "gone";
}

async function ask(options: ReviewOptions): Promise<Asked> {
  const { id, client, terminal, style, signal } = options;
  const review = await client.review(id, { start: 0, length: pageChars }, signal);
  if (!isShown(review)) return "gone";
  const say = (text: string) => terminal.write([{ channel: "notice", text }]);
  const view = { style, columns: terminal.columns, whole: false };
  const question = reviewText(review, view);
  let { isCut } = question;
  say(question.text);
  let words: readonly string[] = [];
  return readAnswers(options, "r/x/p/w > ", async (line) => {
    const command = readReviewCommand(line);
    switch (command.type) {
      case "unclear":
        terminal.write(notice(texts.unclear));
        return undefined;
      case "view": {
        const whole = await send(options, async () => wholeText(options, review));
        if (whole === "gone" || whole === undefined) return whole;
        say(wholeReviewText(review.args, whole.text, { ...view, whole: true }));
        isCut = false;
        return undefined;
      }
      case "start over":
        words = [];
        say(question.text);
        return undefined;
      case "redact": {
        const more = [...words, command.word];
        const body = { decision: "redact", words: more } as const;
        const preview = await send(options, async () => client.previewReview(id, body, signal));
        if (preview === "gone" || preview === undefined) return preview;
        words = more;
        say(previewText(preview.shown, words, view));
        return undefined;
      }
      case "release":
        if (isCut) {
          terminal.write(notice(texts.notShown));
          return undefined;
        }
        return answer(
          options,
          words.length > 0 ? { decision: "redact", words } : { decision: "release" },
        );
      case "answer":
        return answer(options, command.body);
    }
  });
}

function isShown(review: Awaited<ReturnType<Client["review"]>>): review is Review {
  return review.result !== undefined && review.args !== undefined;
}

/** `gone` if another user has answered meanwhile. */
async function wholeText(
  { id, client, signal }: ReviewOptions,
  { result }: Review,
): Promise<{ readonly text: string } | "gone"> {
  let { text } = result;
  while (text.length < result.total) {
    const page = { start: text.length, length: pageChars };
    const { result: next } = await client.review(id, page, signal);
    if (next === undefined || next.text === "") return "gone";
    text += next.text;
  }
  return { text };
}

function answer(
  options: ReviewOptions,
  body: ReviewAnswerBody,
): Promise<"answered" | "gone" | undefined> {
  const { client, id, terminal, style, signal } = options;
  return send(options, async () => {
    const { status } = await client.answerApproval(id, body, signal);
    if (status !== reviewOutcomes[body.decision])
      terminal.write(notice(style.yellow(texts.alreadyAnswered(status))));
    return "answered" as const;
  });
}

/** A result that a user reviews before the model reads it. */
type Review = ResultApprovalView & Required<Pick<ResultApprovalView, "args" | "result">>;

/** Returns the prompt as text: the call, the text that the model would read, and the commands. */
function reviewText(review: Review, view: QuestionView): ShownText {
  const { groupTitle, toolName, isError, args, result, reason } = review;
  const { style } = view;
  const name = (text: string) => visibleName(text, style);
  const title = texts.title(`${name(groupTitle)}: ${name(toolName)}`, isError);
  const total = result.total > result.shown.length ? result.total : undefined;
  const asked = argumentsBlock(visibleArguments(args), view);
  const shown = visibleBlock(visibleParts(result.shown), view);
  const lines = [
    style.yellow(style.bold(`? ${title}`)),
    asked.text,
    indent(style.dim(texts.modelWouldRead(total))),
    shown.text,
    ...result.parts.map((part) => indent(`[${part.type}]`)),
    indent(style.dim(name(reason))),
    indent(texts.release),
    indent(texts.redact),
    indent(texts.replace),
    indent(texts.withhold),
    indent(texts.view),
    "",
  ];
  // Show the whole result, because the model can later read the rest of a truncated one.
  const isPart = result.shown !== result.text || result.text.length < result.total;
  return { text: lines.join("\n"), isCut: asked.isCut || shown.isCut || isPart };
}

/** Returns the arguments of the call and its whole result as text. */
function wholeReviewText(args: Review["args"], text: string, view: QuestionView): string {
  const asked = argumentsBlock(visibleArguments(args), view);
  return `${asked.text}\n  ${texts.whole}\n${visibleBlock(visibleParts(text), view).text}\n`;
}

/** Returns the text that the model would read after the removal of these words. */
function previewText(shown: string, words: readonly string[], view: QuestionView): string {
  const removed = words.map((word) => JSON.stringify(word)).join(", ");
  return [
    indent(view.style.dim(texts.modelWouldReadWithout(visibleName(removed, view.style)))),
    visibleBlock(visibleParts(shown), view).text,
    indent(texts.afterRedaction),
    "",
  ].join("\n");
}

type ReviewCommand =
  | { readonly type: "answer"; readonly body: ReviewAnswerBody }
  /** `r` releases the text without the removed words. */
  | { readonly type: "release" }
  | { readonly type: "redact"; readonly word: string }
  | { readonly type: "start over" }
  | { readonly type: "view" }
  | { readonly type: "unclear" };

/** Parses a typed line as a command. An unclear line never releases the result. */
export function readReviewCommand(line: string): ReviewCommand {
  const [, letter = "", rest = ""] = /^\s*(\S+)(?:\s(.*))?$/s.exec(line) ?? [];
  const text = rest.trim();
  switch (letter.toLowerCase()) {
    case "r":
      return text === "" ? { type: "release" } : unclear;
    case "x":
      return text === "" ? { type: "start over" } : { type: "redact", word: text };
    case "p":
      return text === "" ? unclear : { type: "answer", body: { decision: "replace", text } };
    case "w":
      return {
        type: "answer",
        body: { decision: "withhold", ...(text !== "" && { reason: text }) },
      };
    case "v":
      return text === "" ? { type: "view" } : unclear;
    default:
      return unclear;
  }
}

const unclear: ReviewCommand = { type: "unclear" };
