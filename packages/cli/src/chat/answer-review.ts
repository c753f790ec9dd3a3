import type { Client } from "@capstan/client";
import type { ResultApprovalView, ReviewAnswerBody } from "@capstan/contract";
import { reviewOutcomes } from "@capstan/core/host";
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

interface ReviewOptions extends AskOptions {
  /** The approval's id. */
  readonly id: string;
  readonly toolName: string;
  readonly client: Pick<Client, "answerApproval" | "review" | "previewReview">;
}

/** Characters of a result that are read at a time. */
const pageChars = 200_000;

/** Shows a result that the model has not seen, and gets it released, changed or withheld. */
export async function answerReview(options: ReviewOptions): Promise<Asked> {
  const { toolName, mode, terminal, style } = options;
  if (mode === "refuse") {
    const text = `A person must see the result of ${toolName} first; withheld, since nobody can be asked here (--yes releases it).`;
    terminal.write(notice(style.yellow(text)));
    const body = { decision: "withhold", reason: noUserMessage, by: "system" } as const;
    return (await answer(options, body)) ?? "gone";
  }
  if (mode === "allow") {
    terminal.write(notice(style.yellow(`The result of ${toolName} is released, by --yes.`)));
    return (await answer(options, { decision: "release" })) ?? "gone";
  }
  return (await send(options, async () => ask(options))) ?? "gone";
}

async function ask(options: ReviewOptions): Promise<Asked> {
  const { id, client, terminal, style, signal } = options;
  const review = await client.review(id, { start: 0, length: pageChars }, signal);
  if (!isShown(review)) return "gone";
  const say = (text: string) => terminal.write([{ channel: "notice", text }]);
  say(reviewText(review, style));
  let words: readonly string[] = [];
  return readAnswers(options, "r/x/p/w > ", async (line) => {
    const command = readReviewCommand(line);
    switch (command.type) {
      case "unclear":
        terminal.write(notice("Answer r, x and a word, p and a text, w, or v."));
        return undefined;
      case "view":
        for await (const text of wholeText(options, review)) say(printable(text));
        say("\n");
        return undefined;
      case "start over":
        words = [];
        say(reviewText(review, style));
        return undefined;
      case "take out": {
        const more = [...words, command.word];
        const body = { decision: "redact", words: more } as const;
        const preview = await send(options, async () => client.previewReview(id, body, signal));
        if (preview === "gone" || preview === undefined) return preview;
        words = more;
        say(previewText(preview.shown, words, style));
        return undefined;
      }
      case "release":
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

async function* wholeText(
  { id, client, signal }: ReviewOptions,
  { result }: Review,
): AsyncGenerator<string> {
  yield result.text;
  let start = result.text.length;
  while (start < result.total) {
    const { result: next } = await client.review(id, { start, length: pageChars }, signal);
    if (next === undefined || next.text === "") return;
    yield next.text;
    start += next.text.length;
  }
}

function answer(
  options: ReviewOptions,
  body: ReviewAnswerBody,
): Promise<"answered" | "gone" | undefined> {
  const { client, id, terminal, style, signal } = options;
  return send(options, async () => {
    const { status } = await client.answerApproval(id, body, signal);
    if (status !== reviewOutcomes[body.decision])
      terminal.write(notice(style.yellow(`This result is ${status} already.`)));
    return "answered" as const;
  });
}

/** A result that a person sees before the model does. */
type Review = ResultApprovalView & Required<Pick<ResultApprovalView, "args" | "result">>;

/** The question as text: what ran, what the model would get of it, and what can be done. */
function reviewText(review: Review, style: Style): string {
  const { groupTitle, toolName, isError, args, result, reason } = review;
  const what = isError ? "failed" : "ran";
  const title = `? ${printableLine(groupTitle)}: ${printableLine(toolName)} ${what}; the model has not seen its result`;
  const more = result.total > result.shown.length ? `, of ${result.total} characters` : "";
  return [
    style.yellow(style.bold(title)),
    indent(style.dim(cut(printableJson(args)))),
    indent(style.dim(`What the model would get${more}:`)),
    indent(cut(printable(result.shown))),
    ...result.parts.map((part) => indent(`[${part.type}]`)),
    indent(style.dim(printableLine(reason))),
    indent("r  release it"),
    indent("x  take words out, as they stand in it: x secret word; once more for others"),
    indent("p  put another text in its place: p It is confidential."),
    indent("w  withhold it; what follows is the reason: w private"),
    indent("v  show the whole result"),
    "",
  ].join("\n");
}

/** What the model would get after words were taken out. */
function previewText(shown: string, words: readonly string[], style: Style): string {
  const taken = words.map((word) => JSON.stringify(word)).join(", ");
  return [
    indent(style.dim(`Without ${printableLine(taken)} the model would get:`)),
    indent(cut(printable(shown))),
    indent("r  release what is left;  x  begin again with all of it"),
    "",
  ].join("\n");
}

function cut(text: string): string {
  const { shown, left } = beginningOf(text);
  return left === 0 ? text : `${shown}\n… ${left} more characters`;
}

type ReviewCommand =
  | { readonly type: "answer"; readonly body: ReviewAnswerBody }
  /** Give what is left after the words that were taken out. */
  | { readonly type: "release" }
  | { readonly type: "take out"; readonly word: string }
  | { readonly type: "start over" }
  | { readonly type: "view" }
  | { readonly type: "unclear" };

/** What a typed line says. Nothing that is unclear shows anything to the model. */
export function readReviewCommand(line: string): ReviewCommand {
  const [, letter = "", rest = ""] = /^\s*(\S+)(?:\s(.*))?$/s.exec(line) ?? [];
  const text = rest.trim();
  switch (letter.toLowerCase()) {
    case "r":
      return text === "" ? { type: "release" } : unclear;
    case "x":
      return text === "" ? { type: "start over" } : { type: "take out", word: text };
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
